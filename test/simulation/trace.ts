/**
 * A run as a digest of every step and, where a failure is run again, as lines for people. A simulation makes no lines
 * on its way: it is run once more from its seed when they are wanted.
 */

const LINES_MAX = 200_000;

interface TraceLine {
  readonly step: number;
  readonly timeMs: number;
  readonly text: string;
}

export class Trace {
  #high = 0x9e3779b9;
  #low = 0x85ebca6b;
  readonly lines: TraceLine[] = [];

  constructor(readonly isVerbose: boolean) {}

  fold(value: number): void {
    this.#high = Math.imul(this.#high ^ (value | 0), 0xcc9e2d51);
    this.#high = (this.#high << 15) | (this.#high >>> 17);
    this.#low = (Math.imul(this.#low, 5) ^ this.#high) + Math.floor(value / 0x1_0000_0000);
    this.#low |= 0;
  }

  foldText(text: string): void {
    for (let i = 0; i < text.length; i++) this.fold(text.charCodeAt(i));
  }

  /** `text` is only made where somebody reads it. */
  note(step: number, timeMs: number, text: () => string): void {
    if (!this.isVerbose) return;
    this.lines.push({ step, timeMs, text: text() });
    if (this.lines.length > LINES_MAX) this.lines.splice(0, LINES_MAX / 2);
  }

  digest(): string {
    const hex = (half: number): string => (half >>> 0).toString(16).padStart(8, '0');
    return hex(this.#high) + hex(this.#low);
  }
}
