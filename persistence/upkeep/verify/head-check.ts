/** Compares the journal with a signed head that somebody has kept. */
import { isSignedBy } from '../../../crypto/signing.js';
import type { StoredBatch } from '../../../engine/model/ports.js';
import { headStatement, type SignedHead } from '../../../engine/proofs/statements.js';
import type { ChainPosition } from '../../journal/segment/batch-row.js';
import type { Findings } from './findings.js';
import type { JournalRows } from './journal-rows.js';

export interface NotedHead {
  readonly file: string;
  readonly head: SignedHead;
}

export class HeadCheck {
  #chain: string | null = null;

  constructor(
    private readonly noted: NotedHead,
    private readonly findings: Findings,
  ) {}

  /** Call it with every good row. */
  onRow({ lastSeq, chain }: Pick<StoredBatch, 'lastSeq' | 'chain'>): void {
    if (lastSeq === this.noted.head.seq) this.#chain = chain;
  }

  /** Call it after all rows. */
  end(
    { start, segments }: Pick<JournalRows, 'start' | 'segments'>,
    keyOf: (keyId: string) => string | undefined,
  ): void {
    const { head } = this.noted;
    const { seq, keyId } = head;
    const publicKey = keyOf(keyId);
    const endSeq = segments.at(-1)?.end.lastSeq ?? 0;
    if (publicKey === undefined) this.#fault(`It is signed with the key ${keyId}, which is not known here.`);
    else if (!isSignedBy(publicKey, headStatement(head), head.signature))
      this.#fault(`It has a signature that is none of the key ${keyId}, which it names.`);
    else if (start !== null && seq < start.lastSeq)
      this.findings.note(`The signed head of command ${seq} is not compared: the journal begins behind it.`);
    else if (seq > endSeq) this.#missing(endSeq);
    else this.#compare(start);
  }

  #missing(endSeq: number): void {
    const { seq, time } = this.noted.head;
    const missing = `at least ${seq - endSeq} commands are missing`;
    this.#fault(`The journal had command ${seq} at ${time} and ends at ${endSeq} now: ${missing}.`);
  }

  #compare(start: ChainPosition | null): void {
    const { seq, chain, time } = this.noted.head;
    const there = seq === start?.lastSeq ? start.chain : this.#chain;
    if (there === chain) this.findings.note(`The journal has all that it had at ${time}, command ${seq}.`);
    else if (there !== null)
      this.#fault(
        `The journal had the chain ${chain} at command ${seq}; it has ${there} now: it is another one.`,
      );
    // A row that is damaged is told elsewhere.
    else if (this.findings.has('journal'))
      this.findings.note(`The signed head of command ${seq} is not compared: its row is not good.`);
    else
      this.#fault(
        `The journal had a batch that ended at command ${seq}; it has none now: it is another one.`,
      );
  }

  #fault(what: string): void {
    this.findings.fault('head', this.noted.file, this.noted.head.seq, what);
  }
}
