import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';

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
  let last: Promise<void> = Promise.resolve();
  if (knowsConditions) {
    server.middleware.unshift((ctx, next) => {
      const { 'if-match': tag, 'if-none-match': none } = ctx.req.headers;
      if (ctx.method !== 'PUT' || (tag ?? none) === undefined) return next();
      const [, name = '', ...key] = decodeURIComponent(ctx.path).split('/');
      const turn = last.then(async () => {
        const there = await ctx.store
          .getMetadata(name, key.join('/'))
          .catch(() => undefined);
        const isMet = none === '*' ? there === undefined : there?.etag === tag;
        if (isMet) await next();
        else ctx.status = 412;
      });
      last = turn.catch(() => {});
      return turn;
    });
  }
  const { port } = (await server.run()) as { port: number };
  return {
    endpoint: `http://127.0.0.1:${port}`,
    close: async () => {
      await server.close();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}
