/** Types of single values in the public API's resources, described for the API document. */
import type { tags } from 'typia';

export type DateTime = string & tags.Format<'date-time'>;
export type Count = number & tags.Type<'uint32'>;
/** A whole number that may be above 32 bits. */
export type Whole = number & tags.Type<'uint64'>;
/** A field that the first API of six endpoints did not have. */
export type Extension = tags.JsonSchemaPlugin<{ 'x-extension': true }>;
export type Sha256Hex = string & tags.Pattern<'^[0-9a-f]{64}$'>;
/** A signature, 64 bytes in hex. */
export type Ed25519Hex = string & tags.Pattern<'^[0-9a-f]{128}$'>;
/** The first 16 hex digits of the SHA-256 of a public key. */
export type SigningKeyId = string & tags.Pattern<'^[0-9a-f]{16}$'>;
