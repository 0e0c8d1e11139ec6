import { setTimeout as sleep } from 'node:timers/promises';
import { runSliced, type Turns } from '../../stream/sliced.js';

/** Longest queue; further requests get a 503. */
const MAX_WAITING = 64;
/** As long as a slice takes: half of the thread is for everything else, whatever is asked for. */
const PAUSE_MS = 3;
const TURNS: Turns = {
  now: () => performance.now(),
  next: () => sleep(PAUSE_MS),
};

/**
 * Computes expensive responses one at a time, in slices with pauses. So they take at most half of
 * the thread, and ingestion never waits for one.
 */
export class PacedWork {
  readonly #turns: Turns;
  #waiting = 0;
  #last: Promise<unknown> = Promise.resolve();

  constructor(turns: Turns = TURNS) {
    this.#turns = turns;
  }

  get isFull(): boolean {
    return this.#waiting >= MAX_WAITING;
  }

  /** @param isWanted asked when its turn has come; what nobody waits for any more is not begun */
  run<T>(work: () => Generator<void, T>, isWanted = () => true): Promise<T | undefined> {
    return this.inTurn(async () => (isWanted() ? runSliced(work(), this.#turns) : undefined));
  }

  /** Asks another thread when all that was asked before is answered. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const done = this.#last.then(work);
    // Each request sees only its own failure.
    this.#last = done.catch(() => {});
    try {
      return await done;
    } finally {
      this.#waiting--;
    }
  }
}
