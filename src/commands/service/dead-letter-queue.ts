import type { StreamSeries } from '../../outputs/prometheus/stream-series.js';
import type { DeadLetter, DeadLetterSink } from '../../stream/ports.js';
import type { Logger } from '../cli/io.js';
import type { Ending } from './endings.js';

/** Letters that may wait for a slow sink; each takes some room beside what it holds. */
const MAX_LETTERS = 10_000;
/** Of letters that wait, beyond which more are dropped. */
export const LETTERS_BYTES = 32 * 1024 * 1024;
/** Given to the sink at a time: it makes its own form of them meanwhile. */
export const SLICE_BYTES = 1024 * 1024;

/** Most of what a letter takes beside its bytes. */
const LETTER_OVERHEAD_BYTES = 400;

/**
 * Hands refused events to their sink without holding up the stream: a sink that is slow, away or
 * full costs letters, which are counted, and never events. What waits, that which is being written
 * included, is bounded in bytes and in number.
 */
export class DeadLetterQueue {
  #waiting: DeadLetter[] = [];
  /** Of the letters that wait or are being written. */
  #held = { letters: 0, bytes: 0 };
  #writing: Promise<void> | undefined;
  #told = false;

  constructor(
    private readonly sink: DeadLetterSink | undefined,
    private readonly series: Pick<StreamSeries, 'deadLetters'>,
    private readonly log: Logger,
    private readonly maxBytes = LETTERS_BYTES,
  ) {}

  /** Letters that are neither written nor dropped yet. */
  get size(): number {
    return this.#held.letters;
  }

  add(letters: readonly DeadLetter[]): void {
    if (letters.length === 0) return;
    let discarded = 0;
    for (const letter of letters) if (!this.#take(letter)) discarded++;
    if (discarded > 0) this.series.deadLetters('discarded', discarded);
    if (this.#waiting.length > 0) this.#writing ??= this.#write();
  }

  /** Writes what waits, as long as the sink takes it. */
  get ending(): Ending {
    const lost = () => (this.size === 0 ? undefined : `${this.size} of them not written`);
    return { name: 'dead letters', end: () => this.close(), lost };
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.sink?.close();
  }

  /** A small letter still finds room where a large one does not. */
  #take(letter: DeadLetter): boolean {
    if (this.sink === undefined || this.#held.letters >= MAX_LETTERS) return false;
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
    while (this.sink !== undefined && this.#waiting.length > 0) {
      const letters = this.#nextSlice();
      try {
        await this.sink.write(letters);
        this.series.deadLetters('written', letters.length);
        this.#told = false;
      } catch (error) {
        this.series.deadLetters('failed', letters.length);
        if (!this.#told) this.log.error({ err: error }, 'dead letters could not be written');
        this.#told = true;
      }
      this.#held.letters -= letters.length;
      for (const letter of letters) this.#held.bytes -= sizeOf(letter);
    }
    this.#writing = undefined;
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
