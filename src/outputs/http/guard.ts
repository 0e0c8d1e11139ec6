import { isIP } from 'node:net';
import bearerAuth from '@fastify/bearer-auth';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { sendProblem } from './answers.js';

/**
 * Health routes. They need no token, because orchestrators and load balancers call them without
 * one.
 */
const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Paths of static files of the page and of the API console, which need no token. */
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

/**
 * Pattern of a `Host` header: an IPv6 address in brackets, or a name or IPv4 address; then maybe a
 * port.
 */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+?)\.?)(?::\d{1,5})?$/i;

/**
 * Create a check of whether a `Host` header names this service: by an IP address, `localhost`, or
 * one of the names. This protects against DNS rebinding, in which the browser sends the attacker's
 * host name; no page can make it send an IP address.
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
 * Create a check of whether a name is among `names`. @param names `*.` before a name means all its
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

/** Reject requests for other host names. Health routes are exempt, since they reveal no numbers. */
export function addHostCheck(app: FastifyInstance, names: readonly string[]): void {
  const isKnown = knownHost(names);
  app.addHook('onRequest', (request, reply, done) => {
    if (isKnown(request.headers.host) || isHealthRoute(request)) return done();
    sendProblem(
      reply,
      421,
      'the Host header does not name this service: add its host name to http.hosts',
    );
  });
}

/**
 * HTTP methods that change nothing. Pages of other sites may send them, but cannot read the
 * response (CORS).
 */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Reject requests that could change something, if a page of another site sent them. */
function addOriginCheck(app: FastifyInstance, names: readonly string[]): void {
  // `*` accepts every host name for this service, but not pages of every site.
  const isNamed = namedBy(names.filter((name) => name !== '*'));
  app.addHook('onRequest', (request, reply, done) => {
    if (SAFE_METHODS.has(request.method) || isOwnPage(request, isNamed)) return done();
    sendProblem(reply, 403, 'only a page of this service may request changes');
  });
}

/**
 * Whether a request comes from a page of this service, or from a program. Browsers send
 * `Sec-Fetch-Site` or `Origin`; programs send neither.
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
  // A proxy that ends TLS may put its own name for the service into `Host`.
  return own.protocol === 'https:' && own.port === '' && isNamed(own.hostname);
}

export interface GuardOptions {
  /** Address that the service listens on. A name is also accepted as host name; see `hosts`. */
  readonly host: string;
  /** Accepted host names, in addition to IP addresses and localhost. */
  readonly hosts: readonly string[];
  /** Token that requests to all but the open routes need; undefined if none is needed. */
  readonly token: string | undefined;
  /** Maximum number of requests per minute from one address; 0 for no limit. */
  readonly rateLimit: number;
}

const CONTENT_SECURITY_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    // The page exports a chart as an image, which it draws from a data URL.
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/**
 * Add the checks that run before every route, in order: security headers, host name, origin, rate
 * limit, token. The rate limit comes before the token, so that tokens cannot be guessed quickly.
 * Unknown paths are checked too.
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
