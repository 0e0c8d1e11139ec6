import { isIP } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { isHealthRoute } from './open-routes.js';
import { sendProblem } from './reply.js';

/** The host of an address, without its port: an address in brackets, or a name or address. */
const HOST = /^(?:\[([0-9a-f:.]+)\]|([a-z0-9._-]+?)\.?)(?::\d{1,5})?$/i;

/**
 * Whether a `Host` names this service: an IP address, `localhost`, or one of the names. A browser that
 * was led here by a name that another site gave this address (DNS rebinding) sends that name, and no
 * such page can send an address.
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

/** @param names `*.` before one stands for all below it, `*` alone for all. */
export function namedBy(names: readonly string[]): (name: string) => boolean {
  const exact = new Set(names.map((name) => name.toLowerCase()));
  const endings = [...exact].filter((name) => name.startsWith('*.')).map((name) => name.slice(1));
  return (given) => {
    const name = given.toLowerCase();
    return exact.has('*') || exact.has(name) || endings.some((ending) => name.endsWith(ending));
  };
}

/** Refuses what was sent to another name, but at the health routes, which say nothing about numbers. */
export function addHostCheck(app: FastifyInstance, names: readonly string[]): void {
  const isKnown = knownHost(names);
  app.addHook('onRequest', (request, reply, done) => {
    if (isKnown(request.headers.host) || isHealthRoute(request)) return done();
    sendProblem(reply, 421, 'this service does not go by the name in Host: add it to http.hosts');
  });
}
