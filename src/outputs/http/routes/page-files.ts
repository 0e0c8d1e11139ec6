import { existsSync } from 'node:fs';
import { join } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance } from 'fastify';
import { packageFolder } from '../../../adapters/files/package-folder.js';
import { sendProblem } from '../reply.js';

/** Where the build puts the page. */
const BUILT_PAGE = join(packageFolder(), 'dist/page');

/** The page's files, each with its compressed forms beside it. */
export async function addPage(app: FastifyInstance, dir = BUILT_PAGE): Promise<void> {
  if (!existsSync(join(dir, 'index.html'))) {
    const detail = 'the page was not built: npm run build';
    app.get('/', { schema: { hide: true } }, (_request, reply) => sendProblem(reply, 503, detail));
    return;
  }
  await app.register(fastifyStatic, {
    root: dir,
    wildcard: false,
    preCompressed: true,
    // Names stay the same between versions: the browser asks, and learns that nothing changed.
    cacheControl: false,
    setHeaders: (reply) => {
      reply.setHeader('cache-control', 'no-cache');
    },
    globIgnore: ['**/*.br', '**/*.gz', '**/*.map'],
    schemaHide: true,
  });
}
