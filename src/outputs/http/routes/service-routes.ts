import type { FastifyInstance, FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { sendJson } from '../answers.js';
import { type LiveState, StateName } from '../schema/live-state.js';

/** Result of a check that the service must pass to be alive or ready. */
export interface Check {
  readonly name: string;
  readonly ok: boolean;
  readonly detail?: string;
}

export interface ServiceSource {
  readonly exporter: {
    readonly contentType: string;
    metrics(): Promise<string>;
  };
  health(): readonly Check[];
  readiness(): readonly Check[];
  state(): Pick<LiveState, 'states'>;
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

const ReadinessReport = Type.Object({
  ...HealthReport.properties,
  states: Type.Array(StateName, {
    description: 'Current states of the service, most urgent first; they do not affect readiness',
  }),
});

/** Add the routes for Prometheus (`/metrics`) and orchestrators (health, readiness). */
export function addServiceRoutes(app: FastifyInstance, source: ServiceSource): void {
  const tags = ['service'];
  app.get('/metrics', {
    schema: {
      summary: 'Metrics in Prometheus text format',
      tags,
      response: {
        200: {
          description: 'All metrics of this process',
          content: { 'text/plain': { schema: Type.String() } },
        },
      },
    },
    handler: async (_request, reply) => {
      const text = await source.exporter.metrics();
      return reply.type(source.exporter.contentType).send(text);
    },
  });
  app.get('/healthz', {
    schema: {
      summary: 'Health: whether the process reads and computes',
      tags,
      security: [],
      response: checked(HealthReport),
    },
    handler: (_request, reply) => sendChecks(reply, source.health()),
  });
  const summary =
    'Readiness: whether the service is connected, has its partitions and has caught up once';
  app.get('/readyz', {
    schema: {
      summary,
      tags,
      security: [],
      response: checked(ReadinessReport),
    },
    handler: (_request, reply) => {
      const states = source.state().states.map(({ code, severity, since, subject: { part } }) => ({
        code,
        severity,
        since,
        ...(part !== undefined && { part }),
      }));
      return sendChecks(reply, source.readiness(), { states });
    },
  });
}

function checked(report: typeof HealthReport | typeof ReadinessReport) {
  return {
    200: {
      description: 'All checks pass',
      ...report,
    },
    503: {
      description: 'At least one check fails',
      ...report,
    },
  };
}

function sendChecks(
  reply: FastifyReply,
  checks: readonly Check[],
  more: object = {},
): FastifyReply {
  const ok = checks.every((check) => check.ok);
  return sendJson(reply.code(ok ? 200 : 503), {
    ok,
    checks,
    ...more,
  });
}
