import bearerAuth from '@fastify/bearer-auth';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { sendProblem } from './reply.js';

export interface GuardOptions {
  /** Required of every request but those to `OPEN`; undefined: of none. */
  readonly token: string | undefined;
  /** Requests a minute from one address; 0: any number. */
  readonly rateLimit: number;
}

/** Asked by orchestrators and load balancers, which carry no token and must not be turned away. */
const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Code of the page and of the API's description. It holds nothing of what is monitored. */
const SHELL = /^\/(|index\.html|page\.js|page\.css|icon\.svg|docs\/?|docs\/static\/.*)$/;

const CONTENT_SECURITY_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    imgSrc: ["'self'"],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/**
 * What stands before every route: security headers, then the rate limit, so that tokens cannot be
 * tried at will, then the token. Paths that lead nowhere are guarded like those that do.
 */
export async function addGuard(app: FastifyInstance, options: GuardOptions): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    // Whether there is TLS is known to the proxy that ends it.
    strictTransportSecurity: false,
  });
  if (options.rateLimit > 0) {
    await app.register(rateLimit, {
      global: false,
      max: options.rateLimit,
      timeWindow: '1 minute',
      allowList: (request) => HEALTH.has(request.routeOptions.url ?? ''),
      errorResponseBuilder: (_request, { statusCode, after }) =>
        Object.assign(new Error(`too many requests; try again in ${after}`), { statusCode }),
    });
    app.addHook('onRequest', app.rateLimit());
  }
  if (options.token !== undefined) await addToken(app, options.token);
}

async function addToken(app: FastifyInstance, token: string): Promise<void> {
  await app.register(bearerAuth, {
    keys: new Set([token]),
    addHook: false,
    verifyErrorLogLevel: 'silent',
  });
  app.addHook('onRequest', (request, reply, done) => {
    const route = request.routeOptions.url;
    if (route !== undefined && (HEALTH.has(route) || SHELL.test(route))) return done();
    app.verifyBearerAuth!(request, reply, (error) => {
      if (error === undefined) return done();
      reply.header('www-authenticate', 'Bearer');
      sendProblem(reply, 401, 'a bearer token is needed: Authorization: Bearer …');
    });
  });
}
