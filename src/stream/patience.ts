import { setTimeout as sleep } from 'node:timers/promises';

/** What prevents something from being written. */
export interface Trouble {
  /** When the first attempt failed, ms since the epoch. */
  readonly since: number;
  /** Of the newest attempt. */
  readonly reason: string;
}

/** Between the first two attempts; each later wait is twice as long, up to the longest. */
const FIRST_WAIT_MS = 200;
const LONGEST_WAIT_MS = 5_000;

export interface PatienceOptions {
  /** Called when an attempt fails, and with undefined when nothing fails any more. */
  readonly onChange?: (trouble: Error | undefined) => void;
  readonly longestWaitMs?: number;
}

/** Retry an operation until it succeeds, and report meanwhile what fails and since when. */
export class Patience {
  readonly #end = new AbortController();
  readonly #onChange: (trouble: Error | undefined) => void;
  readonly #longestWaitMs: number;
  #failing = 0;
  #trouble: Trouble | undefined;

  constructor({ onChange = () => {}, longestWaitMs = LONGEST_WAIT_MS }: PatienceOptions = {}) {
    this.#onChange = onChange;
    this.#longestWaitMs = longestWaitMs;
  }

  /** Undefined while nothing fails. */
  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  get isOver(): boolean {
    return this.#end.signal.aborted;
  }

  /** From now on nothing is repeated. What waits for its next attempt makes one more, at once. */
  end(): void {
    this.#end.abort();
  }

  /** @throws what the last attempt threw, once the patience is over */
  async until<T>(work: () => Promise<T>): Promise<T> {
    let hasFailed = false;
    let waitMs = Math.min(FIRST_WAIT_MS, this.#longestWaitMs);
    for (;;) {
      const isLast = this.isOver;
      try {
        const done = await work();
        if (hasFailed) {
          this.#succeeded();
        }
        return done;
      } catch (error) {
        this.#failed(error as Error, hasFailed);
        hasFailed = true;
        if (isLast) throw error;
      }
      await sleep(waitMs, undefined, { signal: this.#end.signal }).catch(() => {});
      waitMs = Math.min(2 * waitMs, this.#longestWaitMs);
    }
  }

  #failed(error: Error, hasFailed: boolean): void {
    if (!hasFailed) {
      this.#failing++;
    }
    this.#trouble = {
      since: this.#trouble?.since ?? Date.now(),
      reason: error.message,
    };
    this.#onChange(error);
  }

  #succeeded(): void {
    this.#failing--;
    if (this.#failing > 0) return;
    this.#trouble = undefined;
    this.#onChange(undefined);
  }
}
