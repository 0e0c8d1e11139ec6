import type { OutputName } from '../../rows/findings/away.js';
import type { OutputFacts } from '../../rows/findings/facts.js';
import { Patience, type PatienceOptions, type Trouble } from '../../stream/patience.js';
import type { Logger } from '../cli/io.js';

/** Something that the service writes, as states and metrics see it. */
export interface Output extends OutputFacts {
  /** Pieces that are not written yet. */
  readonly waiting: number;
  /** Pieces that were dropped, as too many waited. */
  readonly lost: number;
}

/** Of what waits for one output at most. */
export const OUTBOX_BYTES = 256 * 1024 * 1024;

export interface OutboxOptions<Piece> extends PatienceOptions {
  readonly name: OutputName;
  readonly write: (piece: Piece) => Promise<void>;
  readonly sizeOf: (piece: Piece) => number;
  readonly log: Pick<Logger, 'warn' | 'error'>;
  readonly mostBytes?: number;
}

/**
 * Pieces on their way to an output, written one after the other. A piece that cannot be written is
 * tried again until it can. Pieces beyond the limit are lost, which is counted and logged.
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
            'cannot write the output; retrying',
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
   * Resolves when all that was added is written. If the outbox is closed before, it never does: no
   * checkpoint may say that the rest is there.
   */
  async written(): Promise<void> {
    await this.#writing;
  }

  /** One more attempt at what waits, and no other. */
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
        // The first attempt that failed was logged, and what waits is made again after a restart.
        this.#giveUp();
        await new Promise<never>(() => {});
      }
      this.#pieces.shift();
      this.#bytes -= this.#options.sizeOf(piece);
    }
    // At once: a piece that is added from now on begins another round.
    this.#writing = undefined;
  }
}
