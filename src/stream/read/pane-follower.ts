import { firstValueFrom, race, Subject, timer } from 'rxjs';
import { UnskewError } from '../../errors.js';
import type { LoggedPane, PanePartitionLog, PanesPosition } from '../ports.js';

/** Longest wait for one answer of the log, and delay before a failed request is repeated, ms. */
const WAIT_MS = 1_000;
const AGAIN_MS = 500;

export interface PaneFollowerOptions {
  readonly log: PanePartitionLog;
  /** Start position; undefined means the beginning of the topic. */
  readonly from: PanesPosition | undefined;
  /** Called for each record; the next one waits until it resolves. */
  readonly take: (logged: LoggedPane) => void | Promise<void>;
  /** Called if the log no longer has the records at the position. */
  readonly lost: () => void;
  /** Called when the initial content is read, or when the log's availability changes. */
  readonly changed: () => void;
  /** Called on an error from which it cannot continue. */
  readonly failed: (error: unknown) => void;
}

/** Read one partition of the panes topic from a position on, until stopped. */
export class PaneFollower {
  readonly #options: PaneFollowerOptions;
  readonly #stopping = new Subject<void>();
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;
  #isRead = false;
  #trouble: string | undefined;
  #position: PanesPosition | undefined;

  constructor(options: PaneFollowerOptions) {
    this.#options = options;
    this.#position = options.from;
  }

  /** Next position; undefined before it is known. */
  get position(): PanesPosition | undefined {
    return this.#position;
  }

  /** Whether the content at the start of reading is read. */
  get isRead(): boolean {
    return this.#isRead;
  }

  /** Why the log does not answer; undefined while it does. */
  get trouble(): string | undefined {
    return this.#trouble;
  }

  start(): void {
    this.#running = this.#read().catch(this.#options.failed);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#stopping.next();
    await this.#running;
  }

  async #read(): Promise<void> {
    const { log, take, lost, changed } = this.#options;
    let end = Number.POSITIVE_INFINITY;
    let lookedTo = 0;
    while (!this.#isStopped) {
      await this.#tried(async () => {
        if (this.#position === undefined || end === Number.POSITIVE_INFINITY) {
          const { first, next } = await log.ends();
          this.#position ??= first;
          end = next.offset;
        }
        if (!this.#isRead && Math.max(this.#position.offset, lookedTo) >= end) {
          this.#isRead = true;
          changed();
        }
        const found = await log.read(this.#position, WAIT_MS);
        if (this.#isStopped) return;
        lookedTo = found === 'gone' ? 0 : log.lookedTo;
        if (found === 'gone') {
          this.#position = undefined;
          end = Number.POSITIVE_INFINITY;
          lost();
          return;
        }
        // The log may have lost its end since it was asked for it.
        if (found.length === 0 && !this.#isRead) {
          end = Number.POSITIVE_INFINITY;
        }
        for (const logged of found) {
          await take(logged);
          this.#position = logged.next;
          if (this.#isStopped) return;
        }
      });
    }
  }

  /** Retry work until the log can do it. */
  async #tried(work: () => Promise<void>): Promise<void> {
    try {
      await work();
      this.#tell(undefined);
    } catch (error) {
      if (!(error instanceof UnskewError) || error.code !== 'BROKER') throw error;
      this.#tell(error.message);
      if (!this.#isStopped) {
        await firstValueFrom(race(timer(AGAIN_MS), this.#stopping));
      }
    }
  }

  #tell(trouble: string | undefined): void {
    if (trouble === this.#trouble) return;
    this.#trouble = trouble;
    this.#options.changed();
  }
}
