import type { StreamSeries } from '../../outputs/prometheus/stream-series.js';
import type { Patience, Trouble } from '../../stream/patience.js';
import type { DeadLetter, DeadLetterSink } from '../../stream/ports.js';
import type { Logger } from '../cli/io.js';
import type { Ending } from './endings.js';
import type { Output } from './outbox.js';

/** Letters that may wait for a slow sink; each takes some room beside what it holds. */
const MAX_LETTERS = 10_000;
/** Bytes of waiting dead letters above which further ones are dropped. */
export const LETTERS_BYTES = 32 * 1024 * 1024;
/** Given to the sink at a time: it makes its own form of them meanwhile. */
export const SLICE_BYTES = 1024 * 1024;

/** Most of what a letter takes beside its bytes. */
const LETTER_OVERHEAD_BYTES = 400;

/** Where dead letters go, and what waits for it while it fails. */
export interface PatientSink {
  readonly sink: DeadLetterSink;
  /** The one that the sink goes by. */
  readonly patience: Patience;
}

/**
 * Hand rejected events to their sink without blocking the stream. Dead letters wait for a sink that
 * is slow, unavailable or full. The queue, including the batch that is being written, is bounded in
 * bytes and number; dead letters above the bound are dropped and counted. Valid events are never
 * dropped.
 */
export class DeadLetterQueue implements Output {
  readonly name = 'dead_letters';
  #waiting: DeadLetter[] = [];
  /** Of the letters that wait or are being written. */
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

  /** Letters that are neither written nor dropped yet. */
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

  /** Writes what waits, as long as the sink takes it. */
  get ending(): Ending {
    const lost = () => (this.waiting === 0 ? undefined : `${this.waiting} not written`);
    return {
      name: 'dead letters',
      end: () => this.close(),
      lost,
    };
  }

  /** One more attempt at what waits, and no other. */
  async close(): Promise<void> {
    this.to?.patience.end();
    await this.#writing;
    await this.to?.sink.close();
  }

  /** A small letter still finds room where a large one does not. */
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
    // Not at once: the letters of neighbouring batches go together.
    await Promise.resolve();
    while (this.to !== undefined && this.#waiting.length > 0) {
      const letters = this.#nextSlice();
      try {
        await this.to.sink.write(letters);
        this.series.deadLetters('written', letters.length);
      } catch (error) {
        // It was repeated: the service stops, or no attempt can succeed.
        this.#drop('failed', letters.length);
        this.log.error(
          {
            err: error,
            letters: letters.length,
          },
          'cannot write dead letters, so they are dropped',
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
 * A letter's value is a piece of a fetched buffer, and its detail may be a piece of a longer text:
 * a few bytes of either would keep all of it.
 */
function ownCopy(letter: DeadLetter): DeadLetter {
  return {
    ...letter,
    value: new Uint8Array(letter.value),
    detail: Buffer.from(letter.detail, 'utf16le').toString('utf16le'),
  };
}
