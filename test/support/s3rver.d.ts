/** The part of the package that the tests use; it brings no types. */
declare module 's3rver' {
  export interface Context {
    readonly method: string;
    readonly path: string;
    readonly req: import('node:http').IncomingMessage;
    readonly store: {
      getMetadata(bucket: string, key: string): Promise<{ readonly etag: string }>;
    };
    status: number;
    body: unknown;
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
