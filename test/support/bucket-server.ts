import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import S3rver, { type Context } from 's3rver';

/** A server of buckets that knows conditions of writes, as Amazon's does and the package does not. */
export async function bucketServer(bucket: string, knowsConditions = true) {
  const directory = mkdtempSync(join(tmpdir(), 'unskew-s3-'));
  const server = new S3rver({
    address: '127.0.0.1',
    port: 0,
    silent: true,
    directory,
    configureBuckets: [{ name: bucket, configs: [] }],
  });
  // One after the other: the package would give half of an object that is being written.
  let last: Promise<void> = Promise.resolve();
  server.middleware.unshift((ctx, next) => {
    const turn = last.then(async () => {
      if (knowsConditions && !(await isMet(ctx))) ctx.status = 412;
      else await next();
      if (ctx.body instanceof Readable) ctx.body = await buffer(ctx.body);
    });
    last = turn.catch(() => {});
    return turn;
  });
  const { port } = (await server.run()) as { port: number };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function isMet({ method, path, req, store }: Context): Promise<boolean> {
  const { 'if-match': tag, 'if-none-match': none } = req.headers;
  if (method !== 'PUT' || (tag ?? none) === undefined) return true;
  const [, bucket = '', ...key] = decodeURIComponent(path).split('/');
  const there = await store.getMetadata(bucket, key.join('/')).catch(() => undefined);
  return none === '*' ? there === undefined : there?.etag === tag;
}
