/** The files of the ports' certificates, as the configuration names them, and mistakes in it. */
import { CertificateError, readCertificate, type TlsFiles } from './certificate.js';
import type { Config } from './variables.js';

const VARIABLE_ENDS = { certFile: 'CERT_FILE', keyFile: 'KEY_FILE', clientCaFile: 'CLIENT_CA_FILE' } as const;

/** null for a port without TLS. */
export const tlsFilesOf = (config: Config): Readonly<Record<'public' | 'operator', TlsFiles | null>> => ({
  public: filesOf(config.tlsCertFile, config.tlsKeyFile, null),
  operator: filesOf(config.operatorTlsCertFile, config.operatorTlsKeyFile, config.operatorClientCaFile),
});

function filesOf(
  certFile: string | null,
  keyFile: string | null,
  clientCaFile: string | null,
): TlsFiles | null {
  return certFile === null || keyFile === null ? null : { certFile, keyFile, clientCaFile };
}

/** Variables that lack another one, and files that a port cannot serve. */
export function mistakesOfTls(config: Config): string[] {
  const files = tlsFilesOf(config);
  const lacksPair = config.operatorClientCaFile !== null && files.operator === null;
  return [
    ...unpaired('TOTE_TLS', config.tlsCertFile, config.tlsKeyFile),
    ...unpaired('TOTE_OPERATOR_TLS', config.operatorTlsCertFile, config.operatorTlsKeyFile),
    ...(lacksPair
      ? ['TOTE_OPERATOR_TLS_CLIENT_CA_FILE: expected TOTE_OPERATOR_TLS_CERT_FILE to be set, too']
      : []),
    ...unservable('TOTE_TLS', files.public),
    ...unservable('TOTE_OPERATOR_TLS', files.operator),
  ];
}

function unpaired(prefix: string, certFile: string | null, keyFile: string | null): string[] {
  if ((certFile === null) === (keyFile === null)) return [];
  const [missing, given] = certFile === null ? ['CERT', 'KEY'] : ['KEY', 'CERT'];
  return [`${prefix}_${missing}_FILE: is not set; expected a file, since ${prefix}_${given}_FILE is set`];
}

function unservable(prefix: string, files: TlsFiles | null): string[] {
  if (files === null) return [];
  try {
    readCertificate(files);
    return [];
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    return [`${prefix}_${VARIABLE_ENDS[error.culprit]}: ${error.message}`];
  }
}
