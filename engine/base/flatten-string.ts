/**
 * V8 keeps a concatenated string as a rope and walks it again for every string that it becomes part of. Strings that
 * are built once and embedded often are flattened first: V8 parses JSON strings into flat ones.
 */

export const flattenString = (text: string): string => JSON.parse(JSON.stringify(text)) as string;
