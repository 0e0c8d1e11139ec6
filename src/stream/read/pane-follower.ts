import { firstValueFrom, race, Subject, timer } from 'rxjs';
import { UnskewError } from '../../errors.js';
import type { LoggedPane, PanePartitionLog, PanesPosition } from '../ports.js';

/** Longest wait for one answer of the log, ms. */
const WAIT_MS = 1_000;
/** Delay before a failed request is repeated, ms. */
const AGAIN_MS = 500;

/** Options of reading one partition of the panes topic. */
export interface PaneFollowerOptions {
  readonly log: PanePartitionLog;
  /** Position at which reading starts; undefined means the beginning of the topic. */
  readonly from: PanesPosition | undefined;
  /** Called with each record; the next one is delivered after it resolves. */
  readonly take: (logged: LoggedPane) => void | Promise<void>;
  /** Called if the log no longer has the records at the position. */
  readonly lost: () => void;
  /**
   * Called when everything that the topic held at the start is read, and when the log stops or
   * starts to answer.
   */
  readonly changed: () => void;
  /** Called with an error after which reading cannot continue. */
  readonly failed: (error: unknown) => void;
}

/** Reads one partition of the panes topic from a position on, until stopped. */
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

  /** Position of the next record to read; undefined before it is known. */
  get position(): PanesPosition | undefined {
    return this.#position;
  }

  /** Whether everything that the topic held when reading started is read. */
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
        // Records may have been deleted since the end offset was requested.
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

  /** Run work once; if the log does not answer, report that and wait before the next attempt. */
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
