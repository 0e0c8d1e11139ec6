import { createHash } from 'node:crypto';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { UnskewError } from '../../errors.js';
import {
  MANIFEST,
  type SetDraft,
  type SetFile,
  type SetStorage,
  type WrittenFile,
} from '../../export/ports.js';

export interface BucketSettings {
  readonly endpoint?: string | undefined;
  readonly region: string;
  /** The bucket in the path and not in the host's name, as most servers but Amazon's want it. */
  readonly pathStyle: boolean;
  /** How long one attempt at a request may take (30 s), ms. */
  readonly requestTimeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 30_000;
/** Of each request, where it fails in a way that may pass. */
const ATTEMPTS = 3;

/** Sets under `s3://bucket/prefix`; credentials come from where the client looks for them. */
export function bucketAt(place: string, settings: BucketSettings): SetBucket {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(place) ?? [];
  if (bucket === undefined) {
    throw new UnskewError('USAGE', `expected s3://bucket and a prefix, found ${place}`);
  }
  const { endpoint, region, pathStyle, requestTimeoutMs = REQUEST_TIMEOUT_MS } = settings;
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    maxAttempts: ATTEMPTS,
    // Without these a storage that hangs is waited for without end.
    requestHandler: {
      connectionTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: requestTimeoutMs,
    },
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  return new SetBucket(client, bucket, prefix === '' ? '' : `${prefix}/`);
}

/** S3 takes parts of at least 5 MiB, except for the last. */
const PART_BYTES = 8 * 1024 * 1024;

/**
 * Sets as objects under a prefix. An object appears when it is complete, and a set when its manifest
 * is there, which is put last.
 */
export class SetBucket implements SetStorage {
  readonly place: string;
  readonly #objects: Objects;
  readonly #prefix: string;

  constructor(client: S3Client, bucket: string, prefix: string) {
    this.place = `s3://${bucket}/${prefix}`.replace(/\/$/, '');
    this.#objects = new Objects(client, bucket);
    this.#prefix = prefix;
  }

  async list(): Promise<string[]> {
    const names: string[] = [];
    for (const key of await this.#objects.keys(this.#prefix)) {
      const [name, file, ...more] = key.slice(this.#prefix.length).split('/');
      if (file === MANIFEST && more.length === 0) names.push(name!);
    }
    return names.sort();
  }

  async create(name: string): Promise<SetDraft> {
    const folder = `${this.#prefix}${name}/`;
    if (await this.#objects.has(folder + MANIFEST)) {
      const place = `${this.place}/${name}`;
      throw new UnskewError('SET', `${place} holds a set already, and sets do not change`);
    }
    return new BucketDraft(this.#objects, folder);
  }

  async *read(name: string, file: string): AsyncIterable<Uint8Array> {
    const folder = `${this.#prefix}${name}/`;
    if (file !== MANIFEST && !(await this.#objects.has(folder + MANIFEST))) {
      throw new UnskewError('FILE', `${this.place}/${name} is not a complete set`);
    }
    yield* this.#objects.get(folder + file);
  }

  async remove(name: string): Promise<void> {
    const folder = `${this.#prefix}${name}/`;
    await this.#objects.delete(folder + MANIFEST);
    for (const key of await this.#objects.keys(folder)) await this.#objects.delete(key);
  }
}

class BucketDraft implements SetDraft {
  readonly #objects: Objects;
  readonly #folder: string;
  readonly #files: BucketFile[] = [];

  constructor(objects: Objects, folder: string) {
    this.#objects = objects;
    this.#folder = folder;
  }

  async file(name: string): Promise<SetFile> {
    const file = new BucketFile(this.#objects, name, this.#folder + name);
    this.#files.push(file);
    return file;
  }

  commit(manifest: string): Promise<void> {
    return this.#objects.put(this.#folder + MANIFEST, Buffer.from(manifest));
  }

  async abort(): Promise<void> {
    for (const file of this.#files) await file.discard();
  }
}

/** Bytes on their way to an object, a part at a time. */
class BucketFile implements SetFile {
  readonly #objects: Objects;
  readonly #name: string;
  readonly #key: string;
  readonly #hash = createHash('sha256');
  readonly #parts: string[] = [];
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #bytes = 0;
  #upload: string | undefined;
  #isThere = false;

  constructor(objects: Objects, name: string, key: string) {
    this.#objects = objects;
    this.#name = name;
    this.#key = key;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#hash.update(bytes);
    this.#bytes += bytes.length;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    if (this.#waitingBytes >= PART_BYTES) await this.#send();
  }

  async close(): Promise<WrittenFile> {
    if (this.#upload === undefined) {
      await this.#objects.put(this.#key, Buffer.concat(this.#waiting));
    } else {
      if (this.#waitingBytes > 0) await this.#send();
      await this.#objects.complete(this.#key, this.#upload, this.#parts);
      this.#upload = undefined;
    }
    this.#isThere = true;
    return { name: this.#name, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }

  async discard(): Promise<void> {
    if (this.#upload !== undefined) await this.#objects.abandon(this.#key, this.#upload);
    if (this.#isThere) await this.#objects.delete(this.#key);
  }

  async #send(): Promise<void> {
    this.#upload ??= await this.#objects.begin(this.#key);
    const part = Buffer.concat(this.#waiting);
    this.#waiting = [];
    this.#waitingBytes = 0;
    const number = this.#parts.length + 1;
    this.#parts.push(await this.#objects.part(this.#key, this.#upload, number, part));
  }
}

/** The few calls of the client that sets need, with errors that say what was done. */
class Objects {
  readonly #client: S3Client;
  readonly #bucket: string;

  constructor(client: S3Client, bucket: string) {
    this.#client = client;
    this.#bucket = bucket;
  }

  async has(key: string): Promise<boolean> {
    try {
      await this.#client.send(new HeadObjectCommand({ Bucket: this.#bucket, Key: key }));
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw this.#told('read', key, error);
    }
  }

  async keys(prefix: string): Promise<string[]> {
    const keys: string[] = [];
    let token: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.#bucket,
        Prefix: prefix,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      const page = await this.#try('read', prefix, () => this.#client.send(command));
      for (const { Key } of page.Contents ?? []) if (Key !== undefined) keys.push(Key);
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return keys;
  }

  async *get(key: string): AsyncIterable<Uint8Array> {
    try {
      const command = new GetObjectCommand({ Bucket: this.#bucket, Key: key });
      const { Body } = await this.#client.send(command);
      yield* Body as unknown as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw this.#told('read', key, error);
    }
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    const command = new PutObjectCommand({ Bucket: this.#bucket, Key: key, Body: body });
    await this.#try('write', key, () => this.#client.send(command));
  }

  async begin(key: string): Promise<string> {
    const command = new CreateMultipartUploadCommand({ Bucket: this.#bucket, Key: key });
    return (await this.#try('write', key, () => this.#client.send(command))).UploadId!;
  }

  async part(key: string, upload: string, number: number, body: Uint8Array): Promise<string> {
    const command = new UploadPartCommand({
      Bucket: this.#bucket,
      Key: key,
      UploadId: upload,
      PartNumber: number,
      Body: body,
    });
    return (await this.#try('write', key, () => this.#client.send(command))).ETag!;
  }

  async complete(key: string, upload: string, tags: readonly string[]): Promise<void> {
    const parts = tags.map((ETag, p) => ({ ETag, PartNumber: p + 1 }));
    const command = new CompleteMultipartUploadCommand({
      Bucket: this.#bucket,
      Key: key,
      UploadId: upload,
      MultipartUpload: { Parts: parts },
    });
    await this.#try('write', key, () => this.#client.send(command));
  }

  async abandon(key: string, upload: string): Promise<void> {
    const command = new AbortMultipartUploadCommand({
      Bucket: this.#bucket,
      Key: key,
      UploadId: upload,
    });
    await this.#try('write', key, () => this.#client.send(command));
  }

  async delete(key: string): Promise<void> {
    const command = new DeleteObjectCommand({ Bucket: this.#bucket, Key: key });
    await this.#try('write', key, () => this.#client.send(command));
  }

  async #try<T>(action: 'read' | 'write', key: string, call: () => Promise<T>): Promise<T> {
    try {
      return await call();
    } catch (error) {
      throw this.#told(action, key, error);
    }
  }

  #told(action: 'read' | 'write', key: string, cause: unknown): UnskewError {
    if (cause instanceof UnskewError) return cause;
    const { name, message } = cause as Error;
    const why = isMissing(cause) ? 'no such object' : [name, message].filter(Boolean).join(': ');
    return new UnskewError('FILE', `cannot ${action} s3://${this.#bucket}/${key}: ${why}`, {
      cause,
    });
  }
}

function isMissing(error: unknown): boolean {
  const { name, $metadata } = error as Error & { $metadata?: { httpStatusCode?: number } };
  return name === 'NotFound' || name === 'NoSuchKey' || $metadata?.httpStatusCode === 404;
}
