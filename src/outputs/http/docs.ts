import { join } from 'node:path';
import swagger from '@fastify/swagger';
import swaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance, FastifySchema } from 'fastify';
import { packageFolder } from '../../adapters/files/package-folder.js';
import { problemAnswers } from './answers.js';
import { isHealthPath } from './guard.js';

/** Folder of the built API console. */
const BUILT_CONSOLE = join(packageFolder(), 'dist/console');

/** Content security policy of the API console, which adds inline styles while it runs. */
const CONTENT_SECURITY_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; " +
  "img-src 'self' data:; font-src 'self' data:; connect-src 'self'; " +
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

export interface DocsOptions {
  readonly version: string;
  /** Whether requests need a token. If so, the description of each route has the response 401. */
  readonly hasToken: boolean;
}

/**
 * Add the OpenAPI description of all routes that are registered later, and a console for it at
 * /docs.
 */
export async function addDocs(app: FastifyInstance, options: DocsOptions): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'unskew',
        version: options.version,
        description:
          'Debiased offline metrics of recommender systems, live. Times are event time in ' +
          'milliseconds since the epoch. Errors are problem documents (RFC 9457).',
      },
      tags: [
        {
          name: 'numbers',
          description: 'Numbers of the newest closed pane',
        },
        {
          name: 'history',
          description: 'Numbers over time, as far back as history.keep',
        },
        {
          name: 'lookup',
          description: 'Counts and weights of single items and users',
        },
        {
          name: 'live',
          description: 'New numbers and states as they appear',
        },
        {
          name: 'sets',
          description: 'Debiased test sets',
        },
        {
          name: 'service',
          description: 'Metrics and health, for Prometheus and orchestrators',
        },
      ],
      ...(options.hasToken && {
        components: {
          securitySchemes: {
            bearer: {
              type: 'http',
              scheme: 'bearer',
            },
          },
        },
        security: [{ bearer: [] }],
      }),
    },
    transform: ({ schema, url }) => ({
      schema: guarded(schema, url, options),
      url,
    }),
  });
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    baseDir: BUILT_CONSOLE,
    // The layout shows no logo. Without this option, the plugin reads one from its own package.
    logo: {
      type: 'image/svg+xml',
      content: '',
    },
    staticCSP: CONTENT_SECURITY_POLICY,
    theme: { title: 'unskew API' },
    uiConfig: {
      deepLinking: true,
      layout: 'BaseLayout',
      tryItOutEnabled: true,
      // Runs in the browser: sends the token that the page has stored, so that the console needs no
      // other.
      requestInterceptor: (request: { headers: Record<string, string> }) => {
        const storage = (globalThis as { sessionStorage?: { getItem(key: string): string | null } })
          .sessionStorage;
        const token = storage?.getItem('unskew-token');
        if (token && !request.headers['Authorization']) {
          request.headers['Authorization'] = `Bearer ${token}`;
        }
        return request;
      },
    } as object,
  });
}

/** Add the responses of the guard (token, host name, rate limit) to those of a route. */
function guarded(schema: FastifySchema, url: string, { hasToken }: DocsOptions): FastifySchema {
  if (schema?.response === undefined || isHealthPath(url)) return schema;
  const before = problemAnswers(...(hasToken ? [401] : []), 421, 429);
  return {
    ...schema,
    response: {
      ...schema.response,
      ...before,
    },
  };
}
