import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import S3rver, { type Context, type Store } from 's3rver';

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
  // One after the other, so that a condition holds until what it lets through is done.
  let last: Promise<void> = Promise.resolve();
  server.middleware.unshift((ctx, next) => {
    ctx.store.putObject = putWhole;
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

/** The package answers before all bytes are in the file, and then gives half of them. */
async function putWhole(this: Store, object: Parameters<Store['putObject']>[0]) {
  const { bucket, key, content, metadata } = object;
  const bytes = Buffer.isBuffer(content) ? content : await buffer(content);
  const path = this.getResourcePath(bucket, key, 'object');
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, bytes);
  const md5 = createHash('md5').update(bytes).digest('hex');
  await this.putMetadata(bucket, key, metadata, md5);
  return { size: bytes.length, md5 };
}

async function isMet({ method, path, req, store }: Context): Promise<boolean> {
  const { 'if-match': tag, 'if-none-match': none } = req.headers;
  if (method !== 'PUT' || (tag ?? none) === undefined) return true;
  const [, bucket = '', ...key] = decodeURIComponent(path).split('/');
  const there = await store.getMetadata(bucket, key.join('/')).catch(() => undefined);
  return none === '*' ? there === undefined : there?.etag === tag;
}
