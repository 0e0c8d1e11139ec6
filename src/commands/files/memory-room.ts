import { totalmem } from 'node:os';

/** What is kept of the events took up to this much more while it was evaluated; it depends on what is asked. */
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
  return {
    used: () => process.memoryUsage.rss(),
    there,
  };
}

/** Says in one line that events may not have room, before the system ends their evaluation without one. */
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

  /** @param share of the events that have come */
  check(share: number): void {
    if (this.#isTold || ++this.#chunks % EVERY !== 0) return;
    const { there } = this.memory;
    const used = this.memory.used();
    if (this.#before + GROWS * (used - this.#before) < there) return;
    this.#isTold = true;
    const part = share < 1 ? ` (${Math.ceil(100 * share)} % of all)` : '';
    this.tell(
      `warning: memory may not suffice for all events. Evaluating the events read so far${part} may take all ${(there / GIB).toFixed(1)} GiB. Sample users with limits.rows, or give it more memory\n`,
    );
  }
}
