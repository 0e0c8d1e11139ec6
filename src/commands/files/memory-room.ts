import { totalmem } from 'node:os';
import { UnskewError } from '../../errors.js';

/** What is kept of the events takes this much more while it is evaluated. */
const GROWS = 2.6;
/** Looked at once for so many chunks of events. */
const EVERY = 8;
const GIB = 2 ** 30;

/** What a process has of memory, in bytes. */
export interface Memory {
  used(): number;
  readonly there: number;
}

/** Memory of this process, and what its container has, or the machine. */
export function ownMemory(): Memory {
  const container = process.constrainedMemory();
  // Where there is no limit the system says 0, or more than any machine has.
  const there = container > 0 ? Math.min(container, totalmem()) : totalmem();
  return { used: () => process.memoryUsage.rss(), there };
}

/** Ends a reading of events in one line before the system ends it without one. */
export class MemoryRoom {
  readonly #before: number;
  #chunks = 0;

  constructor(private readonly memory: Memory = ownMemory()) {
    this.#before = memory.used();
  }

  /**
   * @param share of the events that have come
   * @throws UnskewError EVENTS where these alone take more memory than there is
   */
  check(share: number): void {
    if (++this.#chunks % EVERY !== 0) return;
    const { there } = this.memory;
    const used = this.memory.used();
    if (this.#before + GROWS * (used - this.#before) < there) return;
    const part = share < 1 ? ` at ${Math.ceil(100 * share)} % of them` : '';
    throw new UnskewError(
      'EVENTS',
      `there is no memory for all events: what is kept${part} would take the ${(there / GIB).toFixed(1)} GiB there are; sample users by limits.rows, or give it more`,
    );
  }
}
