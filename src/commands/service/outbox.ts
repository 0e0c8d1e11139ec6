import type { OutputName } from '../../rows/findings/away.js';
import type { OutputFacts } from '../../rows/findings/facts.js';
import { Patience, type PatienceOptions, type Trouble } from '../../stream/patience.js';
import type { Logger } from '../cli/io.js';

/** An output of the service, with facts about it for states and metrics. */
export interface Output extends OutputFacts {
  /** Number of pieces that are not written yet. */
  readonly waiting: number;
  /** Number of pieces that were dropped because too many waited. */
  readonly lost: number;
}

/** Default maximum of the bytes that are queued for one output. */
export const OUTBOX_BYTES = 256 * 1024 * 1024;

export interface OutboxOptions<Piece> extends PatienceOptions {
  readonly name: OutputName;
  readonly write: (piece: Piece) => Promise<void>;
  readonly sizeOf: (piece: Piece) => number;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly mostBytes?: number;
}

/**
 * Queue that writes pieces of data to an output, in order. A failed write is retried until it
 * succeeds. Pieces that exceed the byte limit are dropped, counted and logged.
 */
export class Outbox<Piece> implements Output {
  readonly name: OutputName;
  readonly #options: OutboxOptions<Piece>;
  readonly #patience: Patience;
  readonly #gaveUp: Promise<void>;
  #giveUp = () => {};
  readonly #pieces: Piece[] = [];
  #bytes = 0;
  #lost = 0;
  #writing: Promise<void> | undefined;

  constructor(options: OutboxOptions<Piece>) {
    const { name, log } = options;
    this.name = name;
    this.#options = options;
    let isFailing = false;
    this.#patience = new Patience({
      ...options,
      onChange: (error) => {
        if (error !== undefined && !isFailing) {
          log.warn(
            {
              err: error,
              output: name,
            },
            'cannot write an output; retrying',
          );
        }
        isFailing = error !== undefined;
      },
    });
    this.#gaveUp = new Promise((resolve) => {
      this.#giveUp = resolve;
    });
  }

  get trouble(): Trouble | undefined {
    return this.#patience.trouble;
  }

  get waiting(): number {
    return this.#pieces.length;
  }

  get lost(): number {
    return this.#lost;
  }

  add(piece: Piece): void {
    const { name, log, sizeOf, mostBytes = OUTBOX_BYTES } = this.#options;
    const bytes = sizeOf(piece);
    if (this.#pieces.length > 0 && this.#bytes + bytes > mostBytes) {
      this.#lost++;
      log.error({ output: name }, 'output dropped: the queue of unwritten output is full');
      return;
    }
    this.#pieces.push(piece);
    this.#bytes += bytes;
    this.#writing ??= this.#write();
  }

  /**
   * Resolve when all queued pieces are written. If the outbox is closed first, the promise stays
   * pending, so that no checkpoint claims that the rest is written.
   */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** Stop retrying: make one last attempt to write the queued pieces. */
  async close(): Promise<void> {
    this.#patience.end();
    await Promise.race([this.#writing, this.#gaveUp]);
  }

  async #write(): Promise<void> {
    for (let next = this.#pieces[0]; next !== undefined; next = this.#pieces[0]) {
      const piece = next;
      try {
        await this.#patience.until(() => this.#options.write(piece));
      } catch {
        // The first failed attempt was logged. The remaining pieces are computed again after a
        // restart.
        this.#giveUp();
        await new Promise<never>(() => {});
      }
      this.#pieces.shift();
      this.#bytes -= this.#options.sizeOf(piece);
    }
    // There must be no `await` between the loop and this line: a piece added later has to start a
    // new loop.
    this.#writing = undefined;
  }
}
