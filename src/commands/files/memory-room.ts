import { totalmem } from 'node:os';

/**
 * Growth of memory from the start to the end of the evaluation, divided by its growth from the
 * start to the end of reading. The ratio is measured, and depends on the requested results.
 */
const GROWS = 2.6;
/** Memory is checked once per this number of chunks of events. */
const EVERY = 8;
const GIB = 2 ** 30;

/**
 * Memory, bytes. `used` is the memory that the process uses. `there` is the limit of its container,
 * or the memory of the machine if there is no lower limit.
 */
export interface Memory {
  used(): number;
  readonly there: number;
}

/** Measure this process's memory, and that of its container or machine. */
export function ownMemory(): Memory {
  const container = process.constrainedMemory();
  // Without a limit, the system reports 0, or more than any machine has.
  const there = container > 0 ? Math.min(container, totalmem()) : totalmem();
  return {
    used: () => process.memoryUsage.rss(),
    there,
  };
}

/** Warns in one line that memory may not suffice, before the system kills the process. */
export class MemoryRoom {
  readonly #before: number;
  #chunks = 0;
  #isTold = false;

  constructor(
    private readonly tell: (line: string) => void,
    private readonly memory: Memory = ownMemory(),
  ) {
    this.#before = memory.used();
  }

  /** Check memory, and warn once. @param share fraction of the events that have been read */
  check(share: number): void {
    if (this.#isTold || ++this.#chunks % EVERY !== 0) return;
    const { there } = this.memory;
    const used = this.memory.used();
    if (this.#before + GROWS * (used - this.#before) < there) return;
    this.#isTold = true;
    const part = share < 1 ? ` (${Math.ceil(100 * share)} % of all)` : '';
    this.tell(
      `warning: memory may not suffice for all events. The events read so far${part} may already need all ${(there / GIB).toFixed(1)} GiB. Set limits.rows lower to sample users, or give unskew more memory\n`,
    );
  }
}
