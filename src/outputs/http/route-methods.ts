import type { FastifyInstance } from 'fastify';

/** The methods that an address takes, so that the answer to any other can name them. */
export class RouteMethods {
  readonly #routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>();

  /** @param app before its routes are added */
  constructor(app: FastifyInstance) {
    app.addHook('onRoute', ({ url, method }) => {
      const route = this.#routes.get(url) ?? { pattern: patternOf(url), methods: new Set() };
      for (const one of [method].flat()) route.methods.add(one);
      this.#routes.set(url, route);
    });
  }

  /** In alphabetical order; none where nothing is. */
  at(path: string): string[] {
    const found = [...this.#routes.values()].filter(({ pattern }) => pattern.test(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))].sort();
  }
}

/** `/items/:id` and `/static/*`, as Fastify writes them. */
function patternOf(url: string): RegExp {
  const literal = url.replace(/[.+?^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${literal.replace(/:\w+/g, '[^/]+').replaceAll('*', '.*')}$`);
}
