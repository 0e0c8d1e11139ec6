import bearerAuth from '@fastify/bearer-auth';
import helmet from '@fastify/helmet';
import rateLimit from '@fastify/rate-limit';
import type { FastifyInstance } from 'fastify';
import { addHostCheck } from './host-check.js';
import { isHealthRoute, isOpenRoute } from './open-routes.js';
import { addOriginCheck } from './origin-check.js';
import { sendProblem } from './reply.js';

export interface GuardOptions {
  /** What it listens on: a name that it is reached by, if it is one. */
  readonly host: string;
  /** More such names, besides IP addresses and localhost. */
  readonly hosts: readonly string[];
  /** Required of every request but those to open routes; undefined: of none. */
  readonly token: string | undefined;
  /** Requests a minute from one address; 0: any number. */
  readonly rateLimit: number;
}

const CONTENT_SECURITY_POLICY = {
  useDefaults: false,
  directives: {
    defaultSrc: ["'none'"],
    scriptSrc: ["'self'"],
    styleSrc: ["'self'"],
    // A picture of a chart is made of its drawing.
    imgSrc: ["'self'", 'data:'],
    connectSrc: ["'self'"],
    baseUri: ["'none'"],
    formAction: ["'none'"],
    frameAncestors: ["'none'"],
  },
};

/**
 * What stands before every route: security headers, then the name that is asked for and whose page
 * asks, then the rate limit, so that tokens cannot be tried at will, then the token. Paths that lead
 * nowhere are guarded like those that do.
 */
export async function addGuard(app: FastifyInstance, options: GuardOptions): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: CONTENT_SECURITY_POLICY,
    // Whether there is TLS is known to the proxy that ends it.
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
  if (options.token !== undefined) await addToken(app, options.token);
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
