/**
 * The mark on a disk: two slots written in turn and not synced. As in `persistence/journal/mark.ts` a torn or flipped
 * slot leaves the one before, a kill loses nothing, and a power loss can only set it back.
 */
import type { Mark } from '../../../engine/model/ports.js';
import { JournalError } from '../../../persistence/errors.js';
import type { Rng } from '../../support/reference/random/rng.js';

interface Slot {
  readonly generation: number;
  readonly mark: Mark;
  readonly isIntact: boolean;
}

const EMPTY: Slot = { generation: 0, mark: { lastSeq: 0, checksum: '00000000' }, isIntact: true };
/** The operating system writes a slot back before its next write this often. */
const WRITE_BACK_CHANCE = 0.3;

export class SimMark {
  #slots: [Slot, Slot] = [EMPTY, EMPTY];
  /** The slots on the medium. */
  #synced: [Slot, Slot] = [EMPTY, EMPTY];

  read(): Mark {
    const [first, second] = this.#slots;
    const whole = [first, second].filter(({ isIntact }) => isIntact);
    const newest = whole.sort((a, b) => b.generation - a.generation)[0];
    if (newest === undefined) throw new JournalError('mark_unreadable', 'Neither slot of the mark is whole.');
    return newest.mark;
  }

  write(mark: Mark, rng: Rng): void {
    const [first, second] = this.#slots;
    const index = first.isIntact && (!second.isIntact || first.generation > second.generation) ? 1 : 0;
    const generation = Math.max(first.generation, second.generation) + 1;
    this.#slots[index] = { generation, mark, isIntact: true };
    if (rng.chance(WRITE_BACK_CHANCE)) this.#synced[index] = this.#slots[index];
  }

  sync(): void {
    this.#synced = [...this.#slots];
  }

  losePower(rng: Rng): void {
    for (const index of [0, 1] as const) {
      if (rng.chance(0.5)) this.#slots[index] = this.#synced[index];
    }
    this.sync();
  }

  damage(which: 'newest' | 'both'): () => void {
    const [first, second] = this.#slots;
    const good: [Slot, Slot] = [first, second];
    const isFirstNewest = first.generation > second.generation;
    this.#slots = [
      which === 'both' || isFirstNewest ? { ...first, isIntact: false } : first,
      which === 'both' || !isFirstNewest ? { ...second, isIntact: false } : second,
    ];
    return () => {
      this.#slots = good;
    };
  }
}
