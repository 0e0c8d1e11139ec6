import { setTimeout as sleep } from 'node:timers/promises';
import { runSliced, type Turns } from '../../stream/sliced.js';

/** Maximum number of requests in the queue; further ones get a 503. */
const MAX_WAITING = 64;
/**
 * Pause between two slices of work, ms, about as long as a slice, so that other work gets at least
 * half of the thread.
 */
const PAUSE_MS = 3;
const TURNS: Turns = {
  now: () => performance.now(),
  next: () => sleep(PAUSE_MS),
};

/**
 * Queue that computes expensive responses one at a time, in slices with pauses. The slices take at
 * most half of the thread's time, so ingestion continues meanwhile.
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
   * Queue work and run it in slices. @param isWanted called when the turn of the work comes: if
   * nobody waits for the result any more, the work is skipped
   */
  run<T>(work: () => Generator<void, T>, isWanted = () => true): Promise<T | undefined> {
    return this.inTurn(async () => (isWanted() ? runSliced(work(), this.#turns) : undefined));
  }

  /** Queue work, such as that of another thread. It starts when all earlier work is done. */
  async inTurn<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting++;
    const done = this.#last.then(work);
    // A failure is reported only to its own request; the queue continues.
    this.#last = done.catch(() => {});
    try {
      return await done;
    } finally {
      this.#waiting--;
    }
  }
}
