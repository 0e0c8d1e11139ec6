import type { StreamSeries } from '../../adapters/prometheus/stream-series.js';
import type { DeadLetter, DeadLetterSink } from '../../stream/ports.js';
import type { Logger } from '../cli/io.js';

/** Letters that may wait for a slow sink; beyond them letters are counted and let go. */
const MAX_WAITING = 10_000;

/**
 * Hands refused events to their sink without holding up the stream: a sink that is slow, away or
 * full costs letters, which are counted, and never events.
 */
export class DeadLetterQueue {
  readonly #sink: DeadLetterSink | undefined;
  readonly #series: StreamSeries;
  readonly #log: Logger;
  #waiting: DeadLetter[] = [];
  #writing: Promise<void> | undefined;
  #told = false;

  constructor(sink: DeadLetterSink | undefined, series: StreamSeries, log: Logger) {
    this.#sink = sink;
    this.#series = series;
    this.#log = log;
  }

  add(letters: readonly DeadLetter[]): void {
    if (letters.length === 0) return;
    const room = this.#sink === undefined ? 0 : MAX_WAITING - this.#waiting.length;
    for (const letter of letters.slice(0, room)) this.#waiting.push(letter);
    if (letters.length > room) this.#series.deadLetters('discarded', letters.length - room);
    this.#writing ??= this.#write();
  }

  async close(): Promise<void> {
    await this.#writing;
    await this.#sink?.close();
  }

  async #write(): Promise<void> {
    // Not at once: the letters of neighbouring batches go together.
    await Promise.resolve();
    while (this.#sink !== undefined && this.#waiting.length > 0) {
      const letters = this.#waiting;
      this.#waiting = [];
      try {
        await this.#sink.write(letters);
        this.#series.deadLetters('written', letters.length);
        this.#told = false;
      } catch (error) {
        this.#series.deadLetters('failed', letters.length);
        if (!this.#told) this.#log.error({ err: error }, 'dead letters could not be written');
        this.#told = true;
      }
    }
    this.#writing = undefined;
  }
}
