import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { UnskewError } from '../../errors.js';
import type { CheckpointStore } from '../../stream/ports.js';
import { fileError } from './file-error.js';

/**
 * Checkpoints as files of a folder: `<partition>.checkpoint`, `<partition>.previous.checkpoint` and
 * `<partition>.epoch`. A file is written under another name, synchronised and renamed, so that
 * it appears whole or not at all. For workers of one machine: the epoch is compared just before the
 * renaming, not in one step with it.
 */
export class FileCheckpointStore implements CheckpointStore {
  readonly #folder: string;

  constructor(folder: string) {
    this.#folder = folder;
  }

  async takeEpoch(partition: number): Promise<number> {
    const epoch = (await this.#epoch(partition)) + 1;
    await this.#write(this.#path(partition, 'epoch'), [Buffer.from(`${epoch}\n`)]);
    return epoch;
  }

  async *load(partition: number): AsyncIterable<Uint8Array> {
    for (const name of ['checkpoint', 'previous.checkpoint']) {
      const bytes = await this.#read(this.#path(partition, name));
      if (bytes !== undefined) yield bytes;
    }
  }

  async save(partition: number, epoch: number, chunks: readonly Uint8Array[]) {
    if ((await this.#epoch(partition)) !== epoch) return 'fenced';
    const path = this.#path(partition, 'checkpoint');
    const temporary = await this.#writeBeside(path, epoch, chunks);
    try {
      if ((await this.#epoch(partition)) !== epoch) {
        await rm(temporary);
        return 'fenced';
      }
      // Between the two there is no newest one, and the previous one is whole.
      await rename(path, this.#path(partition, 'previous.checkpoint')).catch(unlessAbsent);
      await rename(temporary, path);
      await this.#synchroniseFolder();
    } catch (error) {
      throw stateError('write', path, error);
    }
    return 'saved';
  }

  async close(): Promise<void> {}

  async #epoch(partition: number): Promise<number> {
    const path = this.#path(partition, 'epoch');
    const bytes = await this.#read(path);
    if (bytes === undefined) return 0;
    const epoch = Number(Buffer.from(bytes).toString('utf8'));
    if (Number.isSafeInteger(epoch)) return epoch;
    throw new UnskewError('STATE', `${path} does not hold an epoch: remove it`);
  }

  async #write(path: string, chunks: readonly Uint8Array[]): Promise<void> {
    const temporary = await this.#writeBeside(path, process.pid, chunks);
    try {
      await rename(temporary, path);
      await this.#synchroniseFolder();
    } catch (error) {
      throw stateError('write', path, error);
    }
  }

  /** Writers of different epochs do not write the same file. */
  async #writeBeside(path: string, writer: number, chunks: readonly Uint8Array[]): Promise<string> {
    const temporary = `${path}.${writer}.partial`;
    try {
      await mkdir(this.#folder, { recursive: true });
      const file = await open(temporary, 'w');
      try {
        for (const chunk of chunks) await file.writeFile(chunk);
        await file.sync();
      } finally {
        await file.close();
      }
    } catch (error) {
      throw stateError('write', path, error);
    }
    return temporary;
  }

  /** A renaming is on the disk when the folder is. */
  async #synchroniseFolder(): Promise<void> {
    const folder = await open(this.#folder, 'r');
    try {
      await folder.sync();
    } finally {
      await folder.close();
    }
  }

  async #read(path: string): Promise<Uint8Array | undefined> {
    try {
      return await readFile(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw stateError('read', path, error);
    }
  }

  #path(partition: number, name: string): string {
    return join(this.#folder, `${partition}.${name}`);
  }
}

function unlessAbsent(error: NodeJS.ErrnoException): void {
  if (error.code !== 'ENOENT') throw error;
}

function stateError(action: 'read' | 'write', path: string, cause: unknown): UnskewError {
  if (cause instanceof UnskewError && cause.code === 'STATE') return cause;
  return new UnskewError('STATE', fileError(action, path, cause).message, { cause });
}
