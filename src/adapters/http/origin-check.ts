import type { FastifyInstance, FastifyRequest } from 'fastify';
import { namedBy } from './host-check.js';
import { sendProblem } from './reply.js';

/** What changes nothing may be asked from anywhere; no answer may be read there (CORS). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Refuses what would change something and comes from another site's page. */
export function addOriginCheck(app: FastifyInstance, names: readonly string[]): void {
  // `*` says that any name is this service's, not that any page is.
  const isNamed = namedBy(names.filter((name) => name !== '*'));
  app.addHook('onRequest', (request, reply, done) => {
    if (SAFE_METHODS.has(request.method) || isOwnPage(request, isNamed)) return done();
    sendProblem(reply, 403, 'only a page of this service may ask for changes');
  });
}

/** Programs send neither header; browsers send one at least. */
function isOwnPage(
  { headers }: Pick<FastifyRequest, 'headers'>,
  isNamed: (name: string) => boolean,
): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return false;
  const { origin, host } = headers;
  if (origin === undefined) return true;
  if (!URL.canParse(origin)) return false;
  const own = new URL(origin);
  if (own.host === host?.toLowerCase()) return true;
  // Behind a proxy that ends TLS and says its own name of the service in Host.
  return own.protocol === 'https:' && own.port === '' && isNamed(own.hostname);
}
