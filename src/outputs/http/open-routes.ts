import type { FastifyRequest } from 'fastify';

/** Asked by orchestrators and load balancers, which carry no token and must not be turned away. */
const HEALTH: ReadonlySet<string> = new Set(['/healthz', '/readyz']);

/** Code of the page and of the API's description. It holds nothing of what is monitored. */
const SHELL = /^\/(|index\.html|page\.js|page\.css|icon(-alert)?\.svg|docs\/?|docs\/static\/.*)$/;

type Routed = Pick<FastifyRequest, 'routeOptions'>;

export function isHealthPath(path: string): boolean {
  return HEALTH.has(path);
}

export function isHealthRoute({ routeOptions: { url } }: Routed): boolean {
  return url !== undefined && isHealthPath(url);
}

/** Whether no token is asked for. */
export function isOpenRoute(request: Routed): boolean {
  const { url } = request.routeOptions;
  return isHealthRoute(request) || (url !== undefined && SHELL.test(url));
}
