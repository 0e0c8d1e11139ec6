/** The part of the package that the tests use; it brings no types. */
declare module 's3rver' {
  export interface Context {
    readonly method: string;
    readonly path: string;
    readonly req: import('node:http').IncomingMessage;
    readonly store: Store;
    status: number;
    body: unknown;
  }

  export interface Store {
    getMetadata(bucket: string, key: string): Promise<{ readonly etag: string }>;
    putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>;
    getResourcePath(bucket: string, key: string, resource: 'object'): string;
    putObject(object: {
      readonly bucket: string;
      readonly key: string;
      readonly metadata: object;
      readonly content: Buffer | import('node:stream').Readable;
    }): Promise<{ readonly size: number; readonly md5: string }>;
  }

  export default class S3rver {
    readonly middleware: ((ctx: Context, next: () => Promise<void>) => Promise<void>)[];
    constructor(options: {
      address: string;
      port: number;
      silent: boolean;
      directory: string;
      configureBuckets: readonly { name: string; configs: readonly string[] }[];
    });
    run(): Promise<unknown>;
    close(): Promise<void>;
  }
}
