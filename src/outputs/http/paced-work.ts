import { setTimeout as sleep } from 'node:timers/promises';
import { runSliced, type Turns } from '../../stream/sliced.js';

/** A request that finds this many waiting is asked to come again. */
const MAX_WAITING = 64;
/** As long as a slice takes: half of the thread is for everything else, whatever is asked for. */
const PAUSE_MS = 3;
const TURNS: Turns = {
  now: () => performance.now(),
  next: () => sleep(PAUSE_MS),
};

/**
 * Costly answers, one after the other and each in slices with pauses between them. So they take half
 * of the thread at most, however many are asked for, and ingestion never waits for one.
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
