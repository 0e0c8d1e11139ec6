import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { sendJson } from '../reply.js';

/** One thing that has to hold for the service to be alive or ready. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

export interface ServiceSource {
  readonly exporter: { readonly contentType: string; metrics(): Promise<string> };
  health(): readonly Check[];
  readiness(): readonly Check[];
}

const HealthReport = Type.Object({
  ok: Type.Boolean(),
  checks: Type.Array(
    Type.Object({
      name: Type.String(),
      ok: Type.Boolean(),
      detail: Type.Optional(Type.String()),
    }),
  ),
});

/** What Prometheus and orchestrators ask. */
export function addServiceRoutes(app: FastifyInstance, source: ServiceSource): void {
  const tags = ['service'];
  app.get('/metrics', {
    schema: {
      summary: 'Metrics in the text format of Prometheus',
      tags,
      response: {
        200: {
          description: 'All of this process',
          content: { 'text/plain': { schema: Type.String() } },
        },
      },
    },
    handler: async (_request, reply) => {
      const text = await source.exporter.metrics();
      return reply.type(source.exporter.contentType).send(text);
    },
  });
  const response = {
    200: { description: 'All checks hold', ...HealthReport },
    503: { description: 'One does not', ...HealthReport },
  };
  app.get('/healthz', {
    schema: { summary: 'Whether the pipeline works', tags, security: [], response },
    handler: (_request, reply) => sendChecks(reply, source.health()),
  });
  const summary = 'Whether it is connected, assigned and was read to the end once';
  app.get('/readyz', {
    schema: { summary, tags, security: [], response },
    handler: (_request, reply) => sendChecks(reply, source.readiness()),
  });
}

function sendChecks(reply: FastifyReply, checks: readonly Check[]): FastifyReply {
  const ok = checks.every((check) => check.ok);
  return sendJson(reply.code(ok ? 200 : 503), { ok, checks });
}
