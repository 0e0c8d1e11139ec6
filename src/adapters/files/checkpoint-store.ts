import { mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type Change,
  KEPT,
  LATER,
  type Manifest,
  manifestOf,
  SegmentedCheckpoints,
} from '../segments/segmented-checkpoints.js';
import { flushFolder, writeDurably } from './durable.js';
import { stateError } from './file-error.js';

const NAME = /^(\d+)\.(\d+)\.(?:epoch|(\d+)\.(checkpoint|partial))$/;
const SEGMENT = /^(\d+)\.(.+)\.segment$/;

/** Parsed name of a file in the checkpoint folder. */
interface Entry {
  readonly name: string;
  readonly partition: number;
  readonly epoch: number;
  /** For a checkpoint: its number within the epoch. */
  readonly number: number;
  readonly kind: 'epoch' | 'checkpoint' | 'partial';
}

/**
 * Stores checkpoints as files of a folder: an empty `<partition>.<epoch>.epoch` for each epoch
 * taken, a manifest `<partition>.<epoch>.<number>.checkpoint`, and segments. File names contain the
 * writer's epoch, so a replaced writer cannot overwrite the files of its successor. A manifest is
 * written after its segments, under another name, flushed and renamed, so it appears atomically.
 */
export class FileCheckpointStore extends SegmentedCheckpoints {
  constructor(private readonly folder: string) {
    super();
  }

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
      // Partial files of stale writers are useless, and so are earlier epochs: a slow worker that
      // takes one of these again is stale from the start.
      const stale = entries.filter(({ kind }) => kind === 'epoch' || kind === 'partial');
      await this.#remove(stale.map(({ name }) => name));
      return epoch;
    }
  }

  protected holds(partition: number, epoch: number): Promise<boolean> {
    return this.#entries(partition).then((entries) => newestEpoch(entries) === epoch);
  }

  protected async manifests(partition: number): Promise<readonly Manifest[]> {
    const found: Manifest[] = [];
    for (const { name } of newestFirst(await this.#entries(partition)).slice(0, KEPT)) {
      const head = await this.get(partition, name, 0, LATER.length);
      // Versions before segments wrote a checkpoint as one file.
      if (head !== undefined && !head.equals(LATER)) {
        found.push({ segments: [[name, 0]] });
      } else {
        const text = await this.get(partition, name, LATER.length);
        if (text !== undefined) {
          found.push(manifestOf(text.toString()));
        }
      }
    }
    return found;
  }

  protected async commit(partition: number, epoch: number, { manifest, isAlone }: Change) {
    const before = newestFirst(await this.#entries(partition));
    const number = before[0]?.epoch === epoch ? before[0].number + 1 : 0;
    const partial = `${partition}.${epoch}.${number}.partial`;
    if (manifest !== undefined) {
      try {
        await writeDurably(join(this.folder, partial), [
          LATER,
          Buffer.from(JSON.stringify(manifest)),
        ]);
        if (!(await this.holds(partition, epoch))) {
          await this.#remove([partial]);
          return 'fenced';
        }
        const name = `${partition}.${epoch}.${number}.checkpoint`;
        await rename(join(this.folder, partial), join(this.folder, name));
        await flushFolder(this.folder);
      } catch (error) {
        // A worker that takes an epoch removes the partial files of others.
        if (!(await this.holds(partition, epoch))) return 'fenced';
        throw stateError('write', join(this.folder, partial), error);
      }
    }
    if (isAlone && !(await this.holds(partition, epoch))) return 'fenced';
    await this.#remove(before.slice(isAlone ? 0 : KEPT - 1).map(({ name }) => name));
    return 'saved';
  }

  protected async put(partition: number, name: string, bytes: Uint8Array): Promise<void> {
    const path = this.#path(partition, name);
    await writeDurably(path, [bytes]).catch((error) => {
      throw stateError('write', path, error);
    });
  }

  protected async get(partition: number, name: string, from = 0, to?: number) {
    const path = this.#path(partition, name);
    try {
      const file = await open(path, 'r');
      try {
        const end = Math.min(to ?? Number.POSITIVE_INFINITY, (await file.stat()).size);
        const bytes = Buffer.alloc(Math.max(0, end - from));
        for (let at = 0; at < bytes.length; ) {
          const { bytesRead } = await file.read(bytes, at, bytes.length - at, from + at);
          if (bytesRead === 0) break;
          at += bytesRead;
        }
        return bytes;
      } finally {
        await file.close();
      }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw stateError('read', path, error);
    }
  }

  protected async has(partition: number, names: readonly string[]): Promise<boolean> {
    const there = new Set(await this.#names());
    return names.every((name) => there.has(fileOf(partition, name)));
  }

  protected remove(partition: number, names: readonly string[]): Promise<void> {
    return this.#remove(names.map((name) => fileOf(partition, name)));
  }

  protected override async names(partition: number): Promise<readonly string[]> {
    const names = (await this.#names()).map((name) => SEGMENT.exec(name));
    return names.flatMap((found) => (Number(found?.[1]) === partition ? [found![2]!] : []));
  }

  async partitions(): Promise<readonly number[]> {
    const kept = newestFirst(await this.#entries());
    return [...new Set(kept.map(({ partition }) => partition))].sort((a, b) => a - b);
  }

  async close(): Promise<void> {}

  /** Take an epoch by creating its file. @returns false if another process has taken it */
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

  #path(partition: number, name: string): string {
    return join(this.folder, fileOf(partition, name));
  }

  /** Files of one partition, or of all partitions. */
  async #entries(partition?: number): Promise<Entry[]> {
    const entries = (await this.#names()).flatMap(entryOf);
    return partition === undefined
      ? entries
      : entries.filter((entry) => entry.partition === partition);
  }

  async #names(): Promise<readonly string[]> {
    try {
      return await readdir(this.folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
      throw stateError('read', this.folder, error);
    }
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
}

function fileOf(partition: number, name: string): string {
  return name.endsWith('.checkpoint') ? name : `${partition}.${name}.segment`;
}

function entryOf(name: string): Entry[] {
  const found = NAME.exec(name);
  if (found === null) return [];
  const [, partition, epoch, number = '0', kind = 'epoch'] = found;
  return [
    {
      name,
      partition: Number(partition),
      epoch: Number(epoch),
      number: Number(number),
      kind: kind as Entry['kind'],
    },
  ];
}

/** Newest epoch taken; 0 if there is none. */
function newestEpoch(entries: readonly Entry[]): number {
  const taken = entries.filter(({ kind }) => kind === 'epoch').map(({ epoch }) => epoch);
  return Math.max(0, ...taken);
}

function newestFirst(entries: readonly Entry[]): Entry[] {
  return entries
    .filter(({ kind }) => kind === 'checkpoint')
    .sort((a, b) => b.epoch - a.epoch || b.number - a.number);
}
