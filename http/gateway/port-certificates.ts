/**
 * The certificates of the ports while the server runs: read anew when their files have changed, and watched for the
 * days on which they are not valid.
 */
import { type Certificate, readCertificate, type TlsFiles } from '../../config/certificate.js';
import { messageOf } from '../../engine/base/attempt.js';
import type { Log } from '../../process/log/log.js';
import { EXPIRY_DAYS } from '../metrics/alarm-list.js';

const DAY_MS = 24 * 60 * 60 * 1_000;

interface Held {
  readonly files: TlsFiles;
  certificate: Certificate;
  reportedMs: number;
}

interface PortCertificatesOptions<Port extends string> {
  /** null for a port without TLS. */
  readonly files: Readonly<Record<Port, TlsFiles | null>>;
  readonly renew: (port: Port) => Promise<void>;
  readonly log: Log;
  readonly nowMs: () => number;
}

export class PortCertificates<Port extends string> {
  readonly #held = new Map<Port, Held>();

  /** Throws a `CertificateError` for files that cannot be served. */
  constructor(private readonly options: PortCertificatesOptions<Port>) {
    for (const port of Object.keys(options.files) as Port[]) {
      const files = options.files[port];
      if (files === null) continue;
      const certificate = readCertificate(files);
      this.#held.set(port, { files, certificate, reportedMs: Number.NEGATIVE_INFINITY });
    }
  }

  /**
   * New connections get the certificates that the files hold now; open ones keep theirs. Resolves with a sentence, null
   * if no file has changed. Rejects if a certificate cannot be served: its port alone goes on as before.
   */
  async reload(): Promise<string | null> {
    const done: string[] = [];
    const refused: string[] = [];
    for (const [port, held] of this.#held) {
      try {
        const news = await this.#renew(port, held);
        if (news !== null) done.push(news);
      } catch (error) {
        refused.push(`the ${port} port: ${messageOf(error)}`);
      }
    }
    if (refused.length > 0) throw new Error([...done, ...refused].join('; '));
    return done.length === 0 ? null : done.join('; ');
  }

  async #renew(port: Port, held: Held): Promise<string | null> {
    const certificate = readCertificate(held.files);
    if (certificate.digest === held.certificate.digest) return null;
    refuseUntimely(certificate, held.files, this.options.nowMs());
    await this.options.renew(port);
    held.certificate = certificate;
    held.reportedMs = Number.NEGATIVE_INFINITY;
    return `the ${port} port has a certificate for ${certificate.names}, valid to ${dayOf(certificate)}`;
  }

  /** The first end of a certificate; null without TLS. */
  get endsMs(): number | null {
    const ends = [...this.#held.values()].map(({ certificate }) => certificate.validToMs);
    return ends.length === 0 ? null : Math.min(...ends);
  }

  /** Reports each certificate that is not valid, or soon will not be, once a day. To be called every now and then. */
  checkValidity(): void {
    const nowMs = this.options.nowMs();
    for (const [port, held] of this.#held) {
      const { validFromMs, validToMs } = held.certificate;
      const daysLeft = Math.floor((validToMs - nowMs) / DAY_MS);
      const isEarly = validFromMs > nowMs;
      if ((!isEarly && daysLeft >= EXPIRY_DAYS) || nowMs - held.reportedMs < DAY_MS) continue;
      held.reportedMs = nowMs;
      const [validFrom, validTo] = [validFromMs, validToMs].map((ms) => new Date(ms).toISOString());
      const { certFile: file } = held.files;
      if (isEarly) this.options.log.write('certificate_early', { port, file, validFrom });
      else this.options.log.write('certificate_expires', { port, file, validTo, daysLeft });
    }
  }
}

/**
 * A start with such a certificate is allowed, since the engine must run; there is no reason to put one in force later.
 */
function refuseUntimely(certificate: Certificate, { certFile }: TlsFiles, nowMs: number): void {
  const { validFromMs, validToMs } = certificate;
  if (validToMs <= nowMs)
    throw new Error(`the certificate in ${certFile} has expired on ${dayOf(certificate)}`);
  if (validFromMs > nowMs)
    throw new Error(`the certificate in ${certFile} is valid from ${new Date(validFromMs).toISOString()} on`);
}

const dayOf = ({ validToMs }: Certificate): string => new Date(validToMs).toISOString();
