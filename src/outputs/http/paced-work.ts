import { setTimeout as sleep } from 'node:timers/promises';
import { runSliced, type Turns } from '../../stream/sliced.js';

/** Longest queue; further requests get a 503. */
const MAX_WAITING = 64;
/**
 * Pause between slices, as long as a slice. At least half of the thread stays free for other work.
 */
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

  /**
   * Run the work in slices when its turn comes. @param isWanted checked when the turn comes; if
   * nobody waits for the result, the work is not started
   */
  run<T>(work: () => Generator<void, T>, isWanted = () => true): Promise<T | undefined> {
    return this.inTurn(async () => (isWanted() ? runSliced(work(), this.#turns) : undefined));
  }

  /** Run work of another thread after all earlier requests are answered. */
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
