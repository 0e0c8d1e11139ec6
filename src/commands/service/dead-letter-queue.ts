import type { StreamSeries } from '../../outputs/prometheus/stream-series.js';
import type { Patience, Trouble } from '../../stream/patience.js';
import type { DeadLetter, DeadLetterSink } from '../../stream/ports.js';
import type { Logger } from '../cli/io.js';
import type { Ending } from './endings.js';
import type { Output } from './outbox.js';

/** Maximum number of queued dead letters, since each takes memory in addition to its bytes. */
const MAX_LETTERS = 10_000;
/** Maximum bytes of queued dead letters; further ones are dropped. */
export const LETTERS_BYTES = 32 * 1024 * 1024;
/** Maximum bytes of the dead letters that are written to the sink at a time. */
export const SLICE_BYTES = 1024 * 1024;

/** Upper bound of the memory of a queued dead letter in addition to its content, bytes. */
const LETTER_OVERHEAD_BYTES = 400;

/** A sink of dead letters, with the retries that it uses. */
export interface PatientSink {
  readonly sink: DeadLetterSink;
  /**
   * Repeats failed writes to the sink. It also reports the current failure, and can end the
   * retries.
   */
  readonly patience: Patience;
}

/**
 * Queue that hands rejected events to their sink without blocking the stream, even if the sink is
 * slow, unavailable or full. The queue, including the batch that is being written, is bounded in
 * bytes and number; dead letters above the bound are dropped and counted. Valid events are never
 * dropped.
 */
export class DeadLetterQueue implements Output {
  readonly name = 'dead_letters';
  #waiting: DeadLetter[] = [];
  /** Number and bytes of the dead letters that are queued or being written. */
  #held = {
    letters: 0,
    bytes: 0,
  };
  #writing: Promise<void> | undefined;
  #lost = 0;

  constructor(
    private readonly to: PatientSink | undefined,
    private readonly series: Pick<StreamSeries, 'deadLetters'>,
    private readonly log: Logger,
    private readonly maxBytes = LETTERS_BYTES,
  ) {}

  /** Number of dead letters that are neither written nor dropped yet. */
  get waiting(): number {
    return this.#held.letters;
  }

  get lost(): number {
    return this.#lost;
  }

  get trouble(): Trouble | undefined {
    return this.to?.patience.trouble;
  }

  add(letters: readonly DeadLetter[]): void {
    if (letters.length === 0) return;
    let discarded = 0;
    for (const letter of letters) {
      if (!this.#take(letter)) {
        discarded++;
      }
    }
    if (discarded > 0) {
      this.#drop('discarded', discarded);
    }
    if (this.#waiting.length > 0) {
      this.#writing ??= this.#write();
    }
  }

  /**
   * How the service stops the queue: dead letters that wait are still written if the sink accepts
   * them.
   */
  get ending(): Ending {
    const lost = () => (this.waiting === 0 ? undefined : `${this.waiting} not written`);
    return {
      name: 'dead letters',
      end: () => this.close(),
      lost,
    };
  }

  /** Make one last attempt to write the waiting dead letters. */
  async close(): Promise<void> {
    this.to?.patience.end();
    await this.#writing;
    await this.to?.sink.close();
  }

  /**
   * Queue a dead letter, unless the queue would exceed a bound with it. A smaller dead letter may
   * still fit. @returns whether it was queued
   */
  #take(letter: DeadLetter): boolean {
    if (this.to === undefined || this.#held.letters >= MAX_LETTERS) return false;
    const bytes = sizeOf(letter);
    if (this.#held.bytes + bytes > this.maxBytes) return false;
    this.#waiting.push(ownCopy(letter));
    this.#held.letters++;
    this.#held.bytes += bytes;
    return true;
  }

  async #write(): Promise<void> {
    // Wait, so that dead letters of consecutive batches are written together.
    await Promise.resolve();
    while (this.to !== undefined && this.#waiting.length > 0) {
      const letters = this.#nextSlice();
      try {
        await this.to.sink.write(letters);
        this.series.deadLetters('written', letters.length);
      } catch (error) {
        // The sink already retried: the service is stopping, or no attempt can succeed.
        this.#drop('failed', letters.length);
        this.log.error(
          {
            err: error,
            letters: letters.length,
          },
          'cannot write dead letters, so they are dropped; they stay counted',
        );
      }
      this.#held.letters -= letters.length;
      for (const letter of letters) {
        this.#held.bytes -= sizeOf(letter);
      }
    }
    this.#writing = undefined;
  }

  #drop(why: 'discarded' | 'failed', letters: number): void {
    this.#lost += letters;
    this.series.deadLetters(why, letters);
  }

  #nextSlice(): DeadLetter[] {
    let count = 0;
    for (let bytes = 0; count < this.#waiting.length; count++) {
      bytes += sizeOf(this.#waiting[count]!);
      if (count > 0 && bytes > SLICE_BYTES) break;
    }
    return this.#waiting.splice(0, count);
  }
}

function sizeOf({ value, detail }: DeadLetter): number {
  return LETTER_OVERHEAD_BYTES + value.length + 2 * detail.length;
}

/**
 * Copy a dead letter. Its value is part of a fetched buffer, and its detail may be part of a longer
 * text; a few bytes of either would keep all of it in memory.
 */
function ownCopy(letter: DeadLetter): DeadLetter {
  return {
    ...letter,
    value: new Uint8Array(letter.value),
    detail: Buffer.from(letter.detail, 'utf16le').toString('utf16le'),
  };
}
