import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RowSpill } from '../../export/row-store.js';
import { fileError } from './file-error.js';

/** Rows written to a temporary folder for lack of memory, in a file for each partition. */
export class FolderSpill implements RowSpill {
  private constructor(private readonly folder: string) {}

  /** Make the temporary folder. @throws UnskewError FILE if that fails. */
  static async open(parent: string = tmpdir()): Promise<FolderSpill> {
    try {
      return new FolderSpill(await mkdtemp(join(parent, 'unskew-rows-')));
    } catch (error) {
      throw fileError('write', parent, error);
    }
  }

  append(partition: number, bytes: readonly Uint8Array[]): Promise<void> {
    return this.#write(partition, (path) => appendFile(path, Buffer.concat(bytes)));
  }

  replace(partition: number, bytes: Uint8Array): Promise<void> {
    return this.#write(partition, (path) => writeFile(path, bytes));
  }

  async read(partition: number): Promise<ArrayBuffer> {
    const path = this.#path(partition);
    try {
      const bytes = await readFile(path);
      // Node may read a small file into a shared buffer.
      const isOwn = bytes.byteOffset === 0 && bytes.byteLength === bytes.buffer.byteLength;
      return (isOwn ? bytes.buffer : Uint8Array.from(bytes).buffer) as ArrayBuffer;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return new ArrayBuffer(0);
      throw fileError('read', path, error);
    }
  }

  async close(): Promise<void> {
    await rm(this.folder, {
      recursive: true,
      force: true,
    });
  }

  async #write(partition: number, how: (path: string) => Promise<void>): Promise<void> {
    const path = this.#path(partition);
    await how(path).catch((error: unknown) => {
      throw fileError('write', path, error);
    });
  }

  #path(partition: number): string {
    return join(this.folder, `${partition}.rows`);
  }
}
