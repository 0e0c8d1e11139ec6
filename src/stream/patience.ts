import { setTimeout as sleep } from 'node:timers/promises';

/** A failure that is being retried. */
export interface Trouble {
  /** When the first attempt failed, ms since the epoch. */
  readonly since: number;
  /** Reason of the latest failure. */
  readonly reason: string;
}

/** Delay between the first two attempts, ms; later delays double up to the longest. */
const FIRST_WAIT_MS = 200;
/** Longest delay between attempts, ms. */
const LONGEST_WAIT_MS = 5_000;

/** Options of retrying. */
export interface PatienceOptions {
  /**
   * Called with the error when an attempt fails, and with undefined when no operation fails any
   * more.
   */
  readonly onChange?: (trouble: Error | undefined) => void;
  readonly longestWaitMs?: number;
}

/** Retries operations until they succeed, and reports failures meanwhile. */
export class Patience {
  readonly #end = new AbortController();
  readonly #onChange: (trouble: Error | undefined) => void;
  readonly #longestWaitMs: number;
  /** Number of operations whose last attempt failed. */
  #failing = 0;
  #trouble: Trouble | undefined;

  constructor({ onChange = () => {}, longestWaitMs = LONGEST_WAIT_MS }: PatienceOptions = {}) {
    this.#onChange = onChange;
    this.#longestWaitMs = longestWaitMs;
  }

  /** The failure that is being retried; undefined while nothing fails. */
  get trouble(): Trouble | undefined {
    return this.#trouble;
  }

  /** Whether `end` was called. */
  get isOver(): boolean {
    return this.#end.signal.aborted;
  }

  /** Stop retrying. Pending operations make one last attempt immediately. */
  end(): void {
    this.#end.abort();
  }

  /**
   * Attempt the work until it succeeds.
   *
   * @throws the error of the last attempt, after `end`
   */
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
