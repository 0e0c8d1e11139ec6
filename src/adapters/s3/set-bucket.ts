import { createHash } from 'node:crypto';
import { UnskewError } from '../../errors.js';
import {
  MANIFEST,
  type SetDraft,
  type SetFile,
  type SetStorage,
  type WrittenFile,
} from '../../export/ports.js';
import type { PastResultPlace } from '../../outputs/history/result-table.js';
import { type BucketSettings, type Objects, objectsAt } from './objects.js';

/**
 * Open a store of past results under `s3://bucket/prefix`. Credentials come from the usual AWS
 * sources.
 */
export function resultBucketAt(place: string, settings: BucketSettings): PastResultPlace {
  const { objects, prefix } = objectsAt(place, settings);
  return new ResultBucket(objects, place.replace(/\/$/, ''), prefix);
}

/** Stores results as objects of a bucket. An object appears when it is complete. */
class ResultBucket implements PastResultPlace {
  constructor(
    private readonly objects: Objects,
    readonly place: string,
    private readonly prefix: string,
  ) {}

  put(name: string, bytes: Uint8Array): Promise<void> {
    return this.objects.put(this.prefix + name, bytes);
  }

  putNew(name: string, bytes: Uint8Array): Promise<boolean> {
    return this.objects.putIf(this.prefix + name, bytes, undefined);
  }
}

/** Open the test sets under `s3://bucket/prefix`. Credentials come from the usual AWS sources. */
export function bucketAt(place: string, settings: BucketSettings): SetBucket {
  const { objects, prefix } = objectsAt(place, settings);
  return new SetBucket(objects, place.replace(/\/$/, ''), prefix);
}

/** Size of the parts of an upload, bytes. S3 requires at least 5 MiB, except for the last part. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * Stores test sets as objects under a prefix. An object appears when it is complete, and a set when
 * its manifest exists, which is written last.
 */
export class SetBucket implements SetStorage {
  constructor(
    private readonly objects: Objects,
    readonly place: string,
    private readonly prefix: string,
  ) {}

  async list(): Promise<string[]> {
    const names: string[] = [];
    for (const key of await this.objects.keys(this.prefix)) {
      const [name, file, ...more] = key.slice(this.prefix.length).split('/');
      if (file === MANIFEST && more.length === 0) {
        names.push(name!);
      }
    }
    return names.sort();
  }

  async create(name: string): Promise<SetDraft> {
    const folder = `${this.prefix}${name}/`;
    if (await this.objects.has(folder + MANIFEST)) {
      const place = `${this.place}/${name}`;
      throw new UnskewError(
        'SET',
        `${place} already contains a test set, and test sets are never overwritten`,
      );
    }
    return new BucketDraft(this.objects, folder);
  }

  async *read(name: string, file: string): AsyncIterable<Uint8Array> {
    const folder = `${this.prefix}${name}/`;
    if (file !== MANIFEST && !(await this.objects.has(folder + MANIFEST))) {
      throw new UnskewError('FILE', `${this.place}/${name} is not a complete set`);
    }
    yield* this.objects.get(folder + file);
  }

  async remove(name: string): Promise<void> {
    const folder = `${this.prefix}${name}/`;
    await this.objects.delete(folder + MANIFEST);
    for (const key of await this.objects.keys(folder)) {
      await this.objects.delete(key);
    }
  }
}

class BucketDraft implements SetDraft {
  readonly #files: BucketFile[] = [];

  constructor(
    private readonly objects: Objects,
    private readonly folder: string,
  ) {}

  async file(name: string): Promise<SetFile> {
    const file = new BucketFile(this.objects, name, this.folder + name);
    this.#files.push(file);
    return file;
  }

  commit(manifest: string): Promise<void> {
    return this.objects.put(this.folder + MANIFEST, Buffer.from(manifest));
  }

  async abort(): Promise<void> {
    for (const file of this.#files) {
      await file.discard();
    }
  }
}

/** Writes a file of a set to an object, by a multipart upload. */
class BucketFile implements SetFile {
  readonly #hash = createHash('sha256');
  readonly #parts: string[] = [];
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  #upload: string | undefined;
  #isThere = false;

  constructor(
    private readonly objects: Objects,
    private readonly name: string,
    private readonly key: string,
  ) {}

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= PART_BYTES) {
      await this.#send();
    }
  }

  async close(): Promise<WrittenFile> {
    if (this.#upload === undefined) {
      await this.objects.put(this.key, Buffer.concat(this.#waiting));
    } else {
      if (this.#waitingBytes > 0) {
        await this.#send();
      }
      await this.objects.complete(this.key, this.#upload, this.#parts);
      this.#upload = undefined;
    }
    this.#isThere = true;
    return {
      name: this.name,
      bytes: this.#bytes,
      sha256: this.#hash.digest('hex'),
    };
  }

  async discard(): Promise<void> {
    if (this.#upload !== undefined) {
      await this.objects.abandon(this.key, this.#upload);
    }
    if (this.#isThere) {
      await this.objects.delete(this.key);
    }
  }

  async #send(): Promise<void> {
    this.#upload ??= await this.objects.begin(this.key);
    const part = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    const number = this.#parts.length + 1;
    this.#parts.push(await this.objects.part(this.key, this.#upload, number, part));
  }
}
