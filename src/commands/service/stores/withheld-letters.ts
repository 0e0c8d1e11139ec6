import type { DeadLetter, DeadLetterSink } from '../../../stream/ports.js';

const NO_BYTES = new Uint8Array(0);

/**
 * Keeps of refused events why and where, and nothing that stood in them: their bytes may name
 * people, and so may what a fault quotes of them. Topic, partition and offset say where to look.
 */
export class WithheldLetters implements DeadLetterSink {
  readonly #sink: DeadLetterSink;

  /** `sink` is closed with it. */
  constructor(sink: DeadLetterSink) {
    this.#sink = sink;
  }

  write(letters: readonly DeadLetter[]): Promise<void> {
    return this.#sink.write(
      letters.map(({ value, ...letter }) => ({
        ...letter,
        detail: `withheld, ${value.length} bytes`,
        value: NO_BYTES,
      })),
    );
  }

  close(): Promise<void> {
    return this.#sink.close();
  }
}
