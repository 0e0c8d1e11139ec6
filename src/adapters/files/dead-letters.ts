import { isUtf8 } from 'node:buffer';
import type { Patience } from '../../stream/patience.js';
import type { DeadLetter, DeadLetterSink } from '../../stream/ports.js';
import { AppendedLines } from './appended-lines.js';

/**
 * Appends rejected events to a file, one JSON object per line: reason, detail, topic, partition,
 * offset, `value` (base64 of the original bytes) and `text` if these bytes are valid UTF-8. Dead
 * letters of earlier runs stay in the file.
 */
export class FileDeadLetters implements DeadLetterSink {
  readonly #file: AppendedLines;
  /** The last write, after which the next one starts, so that lines do not interleave. */
  #last: Promise<void> = Promise.resolve();

  constructor(
    path: string,
    private readonly patience: Patience,
  ) {
    this.#file = new AppendedLines(path);
  }

  write(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return this.#last;
    const lines = letters.map(line);
    const done = this.#last.then(() => this.patience.until(() => this.#file.append(lines)));
    this.#last = done.catch(() => {});
    return done;
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#file.close();
  }
}

function line(letter: DeadLetter): string {
  const { reason, detail, topic, partition, offset } = letter;
  const bytes = Buffer.from(letter.value.buffer, letter.value.byteOffset, letter.value.byteLength);
  const value = bytes.toString('base64');
  const entry = {
    reason,
    detail,
    topic,
    partition,
    offset,
    value,
  };
  return JSON.stringify(
    isUtf8(bytes)
      ? {
          ...entry,
          text: bytes.toString('utf8'),
        }
      : entry,
  );
}
