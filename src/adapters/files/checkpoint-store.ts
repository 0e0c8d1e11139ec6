import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckpointStore } from '../../stream/ports.js';
import { flushFolder, writeDurably } from './durable.js';
import { stateError } from './file-error.js';

/** The newest and the one before it. */
const KEPT = 2;
const NAME = /^(\d+)\.(\d+)\.(?:epoch|(\d+)\.(checkpoint|partial))$/;

/** A file of the folder, by its name. */
interface Entry {
  readonly name: string;
  readonly partition: number;
  readonly epoch: number;
  /** Of a checkpoint: its number under the epoch. */
  readonly number: number;
  readonly kind: 'epoch' | 'checkpoint' | 'partial';
}

/**
 * Checkpoints as files of a folder: `<partition>.<epoch>.epoch`, which is empty, for each epoch that
 * was taken, and `<partition>.<epoch>.<number>.checkpoint`. Names alone say which is the newest, and
 * each writer has names of its own: an epoch is taken by making a file that nobody has made, and a
 * stale writer that looked just before it was replaced still overwrites nothing. A checkpoint is
 * written under another name, synchronised and renamed, so that it appears whole or not at all.
 */
export class FileCheckpointStore implements CheckpointStore {
  constructor(private readonly folder: string) {}

  async takeEpoch(partition: number): Promise<number> {
    try {
      await mkdir(this.folder, { recursive: true });
    } catch (error) {
      throw stateError('write', this.folder, error);
    }
    for (;;) {
      const entries = await this.#entries(partition);
      const epoch = newestEpoch(entries) + 1;
      if (!(await this.#claim(partition, epoch))) continue;
      // What stale writers have left half written is of no use, nor are the epochs before: should one
      // of these be taken again by a worker that looked long ago, it is stale from the start.
      const stale = entries.filter(({ kind }) => kind !== 'checkpoint');
      await this.#remove(stale.map(({ name }) => name));
      return epoch;
    }
  }

  async *load(partition: number): AsyncIterable<Uint8Array> {
    for (const { name } of newestFirst(await this.#entries(partition)).slice(0, KEPT)) {
      const bytes = await this.#read(name);
      if (bytes !== undefined) yield bytes;
    }
  }

  async save(partition: number, epoch: number, chunks: readonly Uint8Array[]) {
    const [newest] = newestFirst(await this.#entries(partition));
    const number = newest?.epoch === epoch ? newest.number + 1 : 0;
    const partial = `${partition}.${epoch}.${number}.partial`;
    if (!(await this.#holds(partition, epoch))) return 'fenced';
    try {
      await writeDurably(join(this.folder, partial), chunks);
      if (!(await this.#holds(partition, epoch))) {
        await this.#remove([partial]);
        return 'fenced';
      }
      const name = `${partition}.${epoch}.${number}.checkpoint`;
      await rename(join(this.folder, partial), join(this.folder, name));
      await flushFolder(this.folder);
    } catch (error) {
      // A worker that takes an epoch removes what others were writing.
      if (!(await this.#holds(partition, epoch))) return 'fenced';
      throw stateError('write', join(this.folder, partial), error);
    }
    const before = newestFirst(await this.#entries(partition)).slice(KEPT);
    await this.#remove(before.map(({ name }) => name));
    return 'saved';
  }

  async replace(
    partition: number,
    epoch: number,
    chunks: readonly Uint8Array[] | undefined,
  ): Promise<'saved' | 'fenced'> {
    const before = newestFirst(await this.#entries(partition));
    if (chunks !== undefined && (await this.save(partition, epoch, chunks)) === 'fenced') {
      return 'fenced';
    }
    if (!(await this.#holds(partition, epoch))) return 'fenced';
    await this.#remove(before.map(({ name }) => name));
    return 'saved';
  }

  async partitions(): Promise<readonly number[]> {
    const kept = newestFirst(await this.#entries());
    return [...new Set(kept.map(({ partition }) => partition))].sort((a, b) => a - b);
  }

  async peek(partition: number, bytes: number): Promise<Uint8Array | undefined> {
    const [newest] = newestFirst(await this.#entries(partition));
    if (newest === undefined) return undefined;
    const path = join(this.folder, newest.name);
    try {
      const file = await open(path, 'r');
      try {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
        return buffer.subarray(0, bytesRead);
      } finally {
        await file.close();
      }
    } catch (error) {
      // A newer one has taken its place.
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return this.peek(partition, bytes);
      throw stateError('read', path, error);
    }
  }

  async isWhole(partition: number): Promise<boolean> {
    return newestFirst(await this.#entries(partition)).length > 0;
  }

  async close(): Promise<void> {}

  /** @returns false if another has taken this epoch */
  async #claim(partition: number, epoch: number): Promise<boolean> {
    const path = join(this.folder, `${partition}.${epoch}.epoch`);
    try {
      await (await open(path, 'wx')).close();
      await flushFolder(this.folder);
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
      throw stateError('write', path, error);
    }
  }

  async #holds(partition: number, epoch: number): Promise<boolean> {
    return newestEpoch(await this.#entries(partition)) === epoch;
  }

  /** Those of one partition, or of all. */
  async #entries(partition?: number): Promise<Entry[]> {
    let names: string[];
    try {
      names = await readdir(this.folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw stateError('read', this.folder, error);
    }
    const entries = names.flatMap(entryOf);
    return partition === undefined
      ? entries
      : entries.filter((entry) => entry.partition === partition);
  }

  async #remove(names: readonly string[]): Promise<void> {
    for (const name of names) {
      const path = join(this.folder, name);
      // Another worker may have removed it.
      await rm(path, { force: true }).catch((error) => {
        throw stateError('write', path, error);
      });
    }
  }

  async #read(name: string): Promise<Uint8Array | undefined> {
    const path = join(this.folder, name);
    try {
      return await readFile(path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw stateError('read', path, error);
    }
  }
}

function entryOf(name: string): Entry[] {
  const found = NAME.exec(name);
  if (found === null) return [];
  const [, partition, epoch, number = '0', kind = 'epoch'] = found;
  return [
    {
      name,
      ...{ partition: Number(partition), epoch: Number(epoch), number: Number(number) },
      kind: kind as Entry['kind'],
    },
  ];
}

/** Of the epochs that were taken; 0 where none was. */
function newestEpoch(entries: readonly Entry[]): number {
  const taken = entries.filter(({ kind }) => kind === 'epoch').map(({ epoch }) => epoch);
  return Math.max(0, ...taken);
}

function newestFirst(entries: readonly Entry[]): Entry[] {
  return entries
    .filter(({ kind }) => kind === 'checkpoint')
    .sort((a, b) => b.epoch - a.epoch || b.number - a.number);
}
