import { UnskewError } from '../../errors.js';
import {
  type Change,
  KEPT,
  type Manifest,
  manifestOf,
  SegmentedCheckpoints,
} from '../segments/segmented-checkpoints.js';
import { type BucketSettings, type Objects, objectsAt } from './objects.js';

const MANIFEST = 'manifest';

/**
 * Content of a partition's object: the current epoch, and the manifests, newest first. Each
 * manifest is a text, so that a damaged one does not affect the others.
 */
interface Kept {
  readonly epoch: number;
  readonly kept: readonly string[];
}

/**
 * Stores checkpoints as objects under `s3://bucket/prefix`: for each partition its segments, and
 * one object with the current epoch and the manifests. That object is written on condition that it
 * is unchanged since it was read, so one of two concurrent writers fails.
 */
export class BucketCheckpointStore extends SegmentedCheckpoints {
  readonly #objects: Objects;
  readonly #place: string;
  readonly #prefix: string;

  constructor(place: string, settings: BucketSettings) {
    super();
    const { objects, prefix } = objectsAt(place, settings);
    this.#objects = objects;
    this.#place = place;
    this.#prefix = prefix;
  }

  /**
   * Take the next epoch: the clock in ms, or the current epoch plus 1 if that is higher. So the new
   * epoch exceeds all earlier ones, even if all objects were lost.
   */
  async takeEpoch(partition: number): Promise<number> {
    for (;;) {
      const { tag, epoch = 0, kept = [] } = await this.#read(partition);
      const next = {
        epoch: Math.max(epoch + 1, Date.now()),
        kept,
      };
      if (!(await this.#put(partition, next, tag))) continue;
      if (!(await this.#put(partition, next, undefined))) return next.epoch;
      const why =
        'the server does not support conditional writes, so it cannot reject an outdated process';
      throw new UnskewError('USAGE', `${this.#place}: ${why}`);
    }
  }

  async partitions(): Promise<readonly number[]> {
    const found: number[] = [];
    for (const key of await forState(this.#objects.keys(this.#prefix))) {
      const [partition, name] = key.slice(this.#prefix.length).split('/');
      if (name !== MANIFEST || !/^\d+$/.test(partition!)) continue;
      const { kept = [] } = await this.#read(Number(partition));
      if (kept.length > 0) {
        found.push(Number(partition));
      }
    }
    return found.sort((a, b) => a - b);
  }

  async close(): Promise<void> {
    this.#objects.close();
  }

  protected async holds(partition: number, epoch: number): Promise<boolean> {
    return (await this.#read(partition)).epoch === epoch;
  }

  protected async manifests(partition: number): Promise<readonly Manifest[]> {
    return ((await this.#read(partition)).kept ?? []).map(manifestOf);
  }

  protected async commit(partition: number, epoch: number, { manifest, isAlone }: Change) {
    const text = manifest === undefined ? [] : [JSON.stringify(manifest)];
    for (;;) {
      const { tag, epoch: held, kept = [] } = await this.#read(partition);
      if (held !== epoch) return 'fenced';
      // The manifest was already written, but the answer was lost.
      if (text.length > 0 && kept[0] === text[0]) return 'saved';
      const next = {
        epoch,
        kept: [...text, ...(isAlone ? [] : kept)].slice(0, KEPT),
      };
      if (await this.#put(partition, next, tag)) return 'saved';
    }
  }

  protected put(partition: number, name: string, bytes: Uint8Array): Promise<void> {
    return forState(this.#objects.put(this.#key(partition, name), bytes));
  }

  protected async get(partition: number, name: string, from?: number, to?: number) {
    const found = await forState(this.#objects.bytes(this.#key(partition, name), from, to));
    return found?.bytes;
  }

  protected async has(partition: number, names: readonly string[]): Promise<boolean> {
    const there = new Set(await this.names(partition));
    return names.every((name) => there.has(name));
  }

  protected async remove(partition: number, names: readonly string[]): Promise<void> {
    for (const name of names) {
      await forState(this.#objects.delete(this.#key(partition, name)));
    }
  }

  protected override async names(partition: number): Promise<readonly string[]> {
    const folder = this.#key(partition, '');
    const keys = await forState(this.#objects.keys(folder));
    return keys.map((key) => key.slice(folder.length)).filter((name) => name !== MANIFEST);
  }

  async #read(partition: number): Promise<Partial<Kept> & { readonly tag?: string | undefined }> {
    const found = await forState(this.#objects.bytes(this.#key(partition, MANIFEST)));
    if (found === undefined) return {};
    return {
      tag: found.tag,
      ...(JSON.parse(Buffer.from(found.bytes).toString()) as Kept),
    };
  }

  /** Write the manifests. @returns false if the object has changed since it was read */
  #put(partition: number, kept: Kept, tag: string | undefined): Promise<boolean> {
    const body = Buffer.from(JSON.stringify(kept));
    return forState(this.#objects.putIf(this.#key(partition, MANIFEST), body, tag));
  }

  #key(partition: number, name: string): string {
    return `${this.#prefix}${partition}/${name}`;
  }
}

/** Convert errors of a call to UnskewError STATE, which callers retry. */
export function forState<T>(call: Promise<T>): Promise<T> {
  return call.catch((cause: unknown) => {
    if (!(cause instanceof UnskewError)) throw cause;
    throw new UnskewError('STATE', cause.message, { cause });
  });
}
