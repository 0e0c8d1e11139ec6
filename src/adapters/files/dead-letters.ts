import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import type { DeadLetter, DeadLetterSink } from '../../stream/ports.js';
import { fileError } from './file-error.js';

/**
 * Keeps refused events in a file, one JSON object a line: reason, detail, topic, partition,
 * offset, `value` (base64 of the original bytes) and `text` where these bytes are valid UTF-8.
 * It appends, so the letters of an earlier run stay.
 */
export class FileDeadLetters implements DeadLetterSink {
  #file: Promise<FileHandle> | undefined;
  /** Writes go one after the other: two at a time could interleave within a line. */
  #last: Promise<void> = Promise.resolve();

  constructor(private readonly path: string) {}

  write(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return this.#last;
    const text = letters.map((letter) => `${line(letter)}\n`).join('');
    const done = this.#last.then(() => this.#append(text));
    this.#last = done.catch(() => {});
    return done;
  }

  async #append(text: string): Promise<void> {
    try {
      this.#file ??= open(this.path, 'a');
      await (await this.#file).appendFile(text);
    } catch (error) {
      this.#file = undefined;
      throw fileError('write', this.path, error);
    }
  }

  async close(): Promise<void> {
    await this.#last;
    const file = this.#file;
    this.#file = undefined;
    await (await file)?.close();
  }
}

function line(letter: DeadLetter): string {
  const { reason, detail, topic, partition, offset } = letter;
  const bytes = Buffer.from(letter.value.buffer, letter.value.byteOffset, letter.value.byteLength);
  const value = bytes.toString('base64');
  const entry = { reason, detail, topic, partition, offset, value };
  return JSON.stringify(isUtf8(bytes) ? { ...entry, text: bytes.toString('utf8') } : entry);
}
