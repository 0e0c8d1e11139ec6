import { createHash } from 'node:crypto';
import { type FileHandle, open, rename, rm } from 'node:fs/promises';
import { UnskewError } from '../../errors.js';
import { fileError } from './file-error.js';

/**
 * Header of a state file, which contains the checkpoints of many partitions. The file has this
 * header as a JSON line, then for each partition a JSON line, the checkpoint's bytes and a line
 * feed.
 *
 *   {"format":"unskew/state","version":1,"group":…,"exportedAt":…,"program":…}
 *   {"partition":0,"bytes":…,"sha256":…}
 *   …its checkpoint…
 *   {"end":true,"partitions":[0],"sha256":…}
 *
 * The last line has the hash of everything before it, which reveals truncation and changes.
 */
export interface StateFileHead {
  /** Consumer group whose state was exported. */
  readonly group: string;
  /** Time of the export, ISO 8601. */
  readonly exportedAt: string;
  /** Version of the program that exported it. */
  readonly program: string;
}

export interface StoredBytes {
  readonly partition: number;
  readonly bytes: Uint8Array;
}

const FORMAT = 'unskew/state';
const VERSION = 1;
const LINE_FEED = 0x0a;
const LONGEST_LINE = 1 << 20;
const BLOCK = 1 << 16;

/**
 * Write checkpoints to a new state file, which appears complete or not at all.
 *
 * @throws UnskewError USAGE if the file exists, FILE if it cannot be written
 */
export async function writeStateFile(
  path: string,
  head: StateFileHead,
  partitions: AsyncIterable<StoredBytes>,
): Promise<void> {
  const partial = `${path}.partial`;
  await claim(path);
  try {
    const file = await open(partial, 'w');
    try {
      await writeAll(file, head, partitions);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(partial, path);
  } catch (error) {
    await rm(partial, { force: true });
    await rm(path, { force: true });
    throw fileError('write', path, error);
  }
}

/** Reserve the name by creating an empty file, so that a second writer fails. */
async function claim(path: string): Promise<void> {
  try {
    await (await open(path, 'wx')).close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw fileError('write', path, error);
    throw new UnskewError('USAGE', `${path} already exists: choose another file, or remove it`);
  }
}

async function writeAll(
  file: FileHandle,
  head: StateFileHead,
  partitions: AsyncIterable<StoredBytes>,
): Promise<void> {
  const hash = createHash('sha256');
  const put = async (bytes: Uint8Array) => {
    hash.update(bytes);
    await file.writeFile(bytes);
  };
  await put(
    line({
      format: FORMAT,
      version: VERSION,
      ...head,
    }),
  );
  const written: number[] = [];
  for await (const { partition, bytes } of partitions) {
    await put(
      line({
        partition,
        bytes: bytes.length,
        sha256: sha256(bytes),
      }),
    );
    await put(bytes);
    await put(Uint8Array.of(LINE_FEED));
    written.push(partition);
  }
  await file.writeFile(
    line({
      end: true,
      partitions: written,
      sha256: hash.digest('hex'),
    }),
  );
}

function line(value: object): Buffer {
  return Buffer.from(`${JSON.stringify(value)}\n`);
}

function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Reads a file of `writeStateFile`: first `head`, then `partitions`, then `close`. */
export class StateFileReader {
  readonly #hash = createHash('sha256');
  #block: Buffer = Buffer.alloc(0);
  #at = 0;

  private constructor(
    private readonly file: FileHandle,
    private readonly path: string,
  ) {}

  static async open(path: string): Promise<StateFileReader> {
    try {
      return new StateFileReader(await open(path, 'r'), path);
    } catch (error) {
      throw fileError('read', path, error);
    }
  }

  /** Read the header. @throws UnskewError STATE if the file is not such a file of this version */
  async head(): Promise<StateFileHead> {
    const text = await this.#line().catch(() => '');
    const found = jsonOf(text);
    if (found['format'] !== FORMAT) {
      this.#refuse('it is not a file of unskew state export');
    }
    if (found['version'] !== VERSION) {
      this.#refuse(`it has version ${found['version']}; this program reads version ${VERSION}`);
    }
    return found as unknown as StateFileHead;
  }

  /** Read the checkpoints. @throws UnskewError STATE if the file is truncated or altered */
  async *partitions(): AsyncGenerator<StoredBytes> {
    const read: number[] = [];
    for (;;) {
      const before = this.#hash.copy().digest('hex');
      const text = await this.#line();
      const found = jsonOf(text);
      if (found['end'] === true) {
        if (found['sha256'] !== before) {
          this.#refuse('its checksum does not match');
        }
        if (JSON.stringify(found['partitions']) !== JSON.stringify(read)) {
          this.#refuse('its partitions differ from those in its list of partitions');
        }
        return;
      }
      const { partition, bytes: length, sha256: wanted } = found;
      if (!Number.isInteger(partition) || !Number.isInteger(length)) {
        this.#refuse('a line in it is malformed');
      }
      const bytes = await this.#take(length as number);
      if (sha256(bytes) !== wanted) {
        this.#refuse(`the checksum of partition ${partition} does not match`);
      }
      await this.#take(1);
      read.push(partition as number);
      yield {
        partition: partition as number,
        bytes,
      };
    }
  }

  close(): Promise<void> {
    return this.file.close();
  }

  async #line(): Promise<string> {
    const parts: Buffer[] = [];
    for (let length = 0; length < LONGEST_LINE; ) {
      await this.#fill();
      const end = this.#block.indexOf(LINE_FEED, this.#at);
      const part = this.#block.subarray(this.#at, end < 0 ? this.#block.length : end + 1);
      this.#at += part.length;
      length += part.length;
      parts.push(part);
      if (end < 0) continue;
      const whole = Buffer.concat(parts);
      this.#hash.update(whole);
      return whole.toString();
    }
    return this.#refuse('a line in it is malformed');
  }

  async #take(length: number): Promise<Uint8Array> {
    const { size } = await this.file.stat();
    if (length < 0 || length > size) {
      this.#refuse('it ends too early');
    }
    const bytes = Buffer.alloc(length);
    for (let at = 0; at < length; ) {
      await this.#fill();
      const copied = this.#block.copy(bytes, at, this.#at, this.#at + length - at);
      this.#at += copied;
      at += copied;
    }
    this.#hash.update(bytes);
    return bytes;
  }

  /** Read the next block of the file if the current one is used up. */
  async #fill(): Promise<void> {
    if (this.#at < this.#block.length) return;
    const { buffer, bytesRead } = await this.file.read(Buffer.alloc(BLOCK), 0, BLOCK, null);
    if (bytesRead === 0) {
      this.#refuse('it ends too early');
    }
    this.#block = buffer.subarray(0, bytesRead);
    this.#at = 0;
  }

  #refuse(why: string): never {
    throw new UnskewError('STATE', `${this.path}: ${why}`);
  }
}

/** Parsed JSON; empty if the text is not JSON. */
function jsonOf(text: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}
