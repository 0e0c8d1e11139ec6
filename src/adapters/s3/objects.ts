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

export interface BucketSettings {
  readonly endpoint?: string | undefined;
  readonly region: string;
  /**
   * Whether URLs have the bucket in the path instead of the host name, which most servers except
   * Amazon's need.
   */
  readonly pathStyle: boolean;
  /** Timeout of one attempt at a request, ms; 30 s by default. */
  readonly requestTimeoutMs?: number;
}

const REQUEST_TIMEOUT_MS = 30_000;
/** Most attempts at each request, if its failure may be temporary. */
const ATTEMPTS = 3;

/** Open a bucket at `s3://bucket/prefix`. Also returns the prefix with a trailing `/`. */
export function objectsAt(
  place: string,
  settings: BucketSettings,
): {
  readonly objects: Objects;
  readonly prefix: string;
} {
  const [, bucket, prefix = ''] = /^s3:\/\/([^/]+)\/?(.*?)\/?$/.exec(place) ?? [];
  if (bucket === undefined) {
    throw new UnskewError('USAGE', `expected s3://bucket and a prefix, found ${place}`);
  }
  const { endpoint, region, pathStyle, requestTimeoutMs = REQUEST_TIMEOUT_MS } = settings;
  const client = new S3Client({
    region,
    forcePathStyle: pathStyle,
    maxAttempts: ATTEMPTS,
    // Without these timeouts, a request to a storage that does not respond would wait without end.
    requestHandler: {
      connectionTimeout: requestTimeoutMs,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      socketTimeout: requestTimeoutMs,
    },
    ...(endpoint === undefined ? {} : { endpoint }),
  });
  return {
    objects: new Objects(client, bucket),
    prefix: prefix === '' ? '' : `${prefix}/`,
  };
}

/** Objects of one bucket: the S3 operations in use, with errors that name the object. */
export class Objects {
  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {}

  async has(key: string): Promise<boolean> {
    try {
      await this.client.send(new HeadObjectCommand(this.#at(key)));
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
        Bucket: this.bucket,
        Prefix: prefix,
        ...(token === undefined ? {} : { ContinuationToken: token }),
      });
      const page = await this.#try('read', prefix, () => this.client.send(command));
      for (const { Key } of page.Contents ?? []) {
        if (Key !== undefined) {
          keys.push(Key);
        }
      }
      token = page.NextContinuationToken;
    } while (token !== undefined);
    return keys;
  }

  async *get(key: string): AsyncIterable<Uint8Array> {
    try {
      const { Body } = await this.client.send(new GetObjectCommand(this.#at(key)));
      yield* Body as unknown as AsyncIterable<Uint8Array>;
    } catch (error) {
      throw this.#told('read', key, error);
    }
  }

  /**
   * Read an object, or its bytes from `from` to before `to`, with the ETag of this version;
   * undefined if there is no such object.
   */
  async bytes(key: string, from = 0, to?: number) {
    const isPart = from > 0 || to !== undefined;
    const Range = isPart ? `bytes=${from}-${to === undefined ? '' : to - 1}` : undefined;
    try {
      const command = new GetObjectCommand({
        ...this.#at(key),
        ...(Range && { Range }),
      });
      const { Body, ETag } = await this.client.send(command);
      return {
        bytes: await Body!.transformToByteArray(),
        tag: ETag,
      };
    } catch (error) {
      if (isMissing(error)) return undefined;
      // The object is shorter: there are no bytes in the range.
      if (statusOf(error) === 416) {
        return {
          bytes: new Uint8Array(0),
          tag: undefined,
        };
      }
      throw this.#told('read', key, error);
    }
  }

  /**
   * Write an object on condition that the existing one has this ETag, or that none exists.
   *
   * @param tag ETag of the existing object; undefined if there should be none
   * @returns false if the condition does not hold
   */
  async putIf(key: string, body: Uint8Array, tag: string | undefined): Promise<boolean> {
    const condition = tag === undefined ? { IfNoneMatch: '*' } : { IfMatch: tag };
    try {
      const command = new PutObjectCommand({
        ...this.#at(key),
        ...condition,
        Body: body,
      });
      await this.client.send(command);
      return true;
    } catch (error) {
      // Another object was written at the same moment, or the one with the tag is gone.
      if ([409, 412].includes(statusOf(error) ?? 0) || isMissing(error)) return false;
      throw this.#told('write', key, error);
    }
  }

  close(): void {
    this.client.destroy();
  }

  async put(key: string, body: Uint8Array): Promise<void> {
    const command = new PutObjectCommand({
      ...this.#at(key),
      Body: body,
    });
    await this.#try('write', key, () => this.client.send(command));
  }

  async begin(key: string): Promise<string> {
    const command = new CreateMultipartUploadCommand(this.#at(key));
    return (await this.#try('write', key, () => this.client.send(command))).UploadId!;
  }

  async part(key: string, upload: string, number: number, body: Uint8Array): Promise<string> {
    const of = {
      UploadId: upload,
      PartNumber: number,
    };
    const command = new UploadPartCommand({
      ...this.#at(key),
      ...of,
      Body: body,
    });
    return (await this.#try('write', key, () => this.client.send(command))).ETag!;
  }

  async complete(key: string, upload: string, tags: readonly string[]): Promise<void> {
    const Parts = tags.map((ETag, p) => ({
      ETag,
      PartNumber: p + 1,
    }));
    const of = {
      UploadId: upload,
      MultipartUpload: { Parts },
    };
    const command = new CompleteMultipartUploadCommand({
      ...this.#at(key),
      ...of,
    });
    await this.#try('write', key, () => this.client.send(command));
  }

  async abandon(key: string, upload: string): Promise<void> {
    const command = new AbortMultipartUploadCommand({
      ...this.#at(key),
      UploadId: upload,
    });
    await this.#try('write', key, () => this.client.send(command));
  }

  async delete(key: string): Promise<void> {
    const command = new DeleteObjectCommand(this.#at(key));
    await this.#try('write', key, () => this.client.send(command));
  }

  #at(key: string) {
    return {
      Bucket: this.bucket,
      Key: key,
    };
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
    return new UnskewError('FILE', `cannot ${action} s3://${this.bucket}/${key}: ${why}`, {
      cause,
    });
  }
}

function isMissing(error: unknown): boolean {
  return statusOf(error) === 404 && (error as Error).name !== 'NoSuchBucket';
}

function statusOf(error: unknown): number | undefined {
  return (error as { $metadata?: { httpStatusCode?: number } }).$metadata?.httpStatusCode;
}
