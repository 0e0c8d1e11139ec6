import { isIP } from 'node:net';
import bearerAuth from '@fastify/bearer-auth';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendProblem } from './answers.js';

/** Health routes, which need no token: orchestrators and load balancers call them. */
const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Files of the page and of the API description. */
const SHELL = /^\/(|index\.html|page\.js|page\.css|icon(-alert)?\.svg|docs\/?|docs\/static\/.*)$/;

type Routed = Pick<FastifyRequest, 'routeOptions'>;

export function isHealthPath(path: string): boolean {
  return HEALTH.has(path);
}

export function isHealthRoute({ routeOptions: { url } }: Routed): boolean {
  return url !== undefined && isHealthPath(url);
}

/** Whether a route needs no token. */
export function isOpenRoute(request: Routed): boolean {
  const { url } = request.routeOptions;
  return isHealthRoute(request) || (url !== undefined && SHELL.test(url));
}

/** Host of an address without its port: an IP address in brackets, or a name or IPv4 address. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+?)\.?)(?::\d{1,5})?$/i;

/**
 * Create a check whether a `Host` header names this service: an IP address, `localhost`, or one of
 * the names. With DNS rebinding, a browser sends the attacker's host name, and a page cannot make
 * it send an IP address.
 *
 * @example knownHost(['unskew.example.com'])('unskew.example.com:9464') // true
 */
export function knownHost(names: readonly string[]): (host: string | undefined) => boolean {
  const isNamed = namedBy(['localhost', ...names]);
  return (host = '') => {
    const [, bracketed, bare] = HOST.exec(host) ?? [];
    if (bracketed !== undefined) return isIP(bracketed) === 6;
    return bare !== undefined && (isIP(bare) === 4 || isNamed(bare));
  };
}

/**
 * Create a check whether a name is among `names`. @param names `*.` before a name means all its
 * subdomains, `*` alone all names.
 */
export function namedBy(names: readonly string[]): (name: string) => boolean {
  const exact = new Set(names.map((name) => name.toLowerCase()));
  const endings = [...exact].filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
  return (given) => {
    const name = given.toLowerCase();
    return exact.has('*') || exact.has(name) || endings.some((ending) => name.endsWith(ending));
  };
}

/** Reject requests to other host names, except at the health routes, which reveal no numbers. */
export function addHostCheck(app: FastifyInstance, names: readonly string[]): void {
  const isKnown = knownHost(names);
  app.addHook('onRequest', (request, reply, done) => {
    if (isKnown(request.headers.host) || isHealthRoute(request)) return done();
    sendProblem(reply, 421, 'the name in Host is not one of this service: add it to http.hosts');
  });
}

/**
 * Methods that change nothing. Other sites may send them, since they cannot read the answer (CORS).
 */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Reject requests that could change something and come from another site's page. */
function addOriginCheck(app: FastifyInstance, names: readonly string[]): void {
  // `*` means that every name belongs to this service, not that every page does.
  const isNamed = namedBy(names.filter((name) => name !== '*'));
  app.addHook('onRequest', (request, reply, done) => {
    if (SAFE_METHODS.has(request.method) || isOwnPage(request, isNamed)) return done();
    sendProblem(reply, 403, 'only a page of this service may request changes');
  });
}

/**
 * Whether a request comes from a page of this service, or from a program. Programs send neither
 * header; browsers send at least one.
 */
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
  // The proxy that ends TLS may put its own name for the service into `Host`.
  return own.protocol === 'https:' && own.port === '' && isNamed(own.hostname);
}

export interface GuardOptions {
  /** Address that the service listens on; also an accepted host name, if it is a name. */
  readonly host: string;
  /** Further accepted host names, besides IP addresses and localhost. */
  readonly hosts: readonly string[];
  /** Token that every request needs, except on open routes; undefined if none is needed. */
  readonly token: string | undefined;
  /** Limit of requests per minute from one address; 0: no limit. */
  readonly rateLimit: number;
}

const CONTENT_SECURITY_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    // The page turns the drawing of a chart into an image.
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/**
 * Add the checks before every route: security headers, then host name and origin, then the rate
 * limit, so that nobody can guess tokens quickly, then the token. Unknown paths are guarded too.
 */
export async function addGuard(app: FastifyInstance, options: GuardOptions): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    // Only the proxy that ends TLS knows whether TLS is used.
    strictTransportSecurity: false,
  });
  addHostCheck(app, [options.host, ...options.hosts]);
  addOriginCheck(app, options.hosts);
  if (options.rateLimit > 0) {
    await app.register(rateLimit, {
      global: false,
      max: options.rateLimit,
      timeWindow: '1 minute',
      allowList: (request) => isHealthRoute(request),
      errorResponseBuilder: (_request, { statusCode, after }) =>
        Object.assign(new Error(`too many requests; try again in ${after}`), { statusCode }),
    });
    app.addHook('onRequest', app.rateLimit());
  }
  if (options.token !== undefined) {
    await addToken(app, options.token);
  }
}

async function addToken(app: FastifyInstance, token: string): Promise<void> {
  await app.register(bearerAuth, {
    keys: new Set([token]),
    addHook: false,
    verifyErrorLogLevel: 'silent',
  });
  app.addHook('onRequest', (request, reply, done) => {
    if (isOpenRoute(request)) return done();
    app.verifyBearerAuth!(request, reply, (error) => {
      if (error === undefined) return done();
      reply.header('www-authenticate', 'Bearer');
      sendProblem(reply, 401, 'a bearer token is needed: Authorization: Bearer …');
    });
  });
}
