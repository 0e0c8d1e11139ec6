import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Snapshot } from '../../../stream/snapshot.js';
import { answers } from '../answers.js';
import { sendProblem } from '../reply.js';
import { LiveState } from '../schema/live-state.js';
import { LiveTick } from '../schema/live-tick.js';
import { StreamQuery } from '../schema/query.js';
import { MAX_READERS, type TickStream } from './tick-stream.js';

/** One event of the stream, as its lines say it. */
const StreamEvent = Type.Object({
  event: Type.Optional(Type.String({ description: 'tick or state' })),
  id: Type.Optional(Type.String({ description: 'End of the pane, ms' })),
  data: Type.Optional(
    Type.String({
      contentMediaType: 'application/json',
      contentSchema: Type.Union([LiveTick, LiveState]),
      description: 'The tick, or the state of the service, as JSON',
    }),
  ),
});

/** Server-sent events: state and newest tick at once, then one message for each change of either. */
export function addStreamRoute(
  app: FastifyInstance,
  stream: TickStream,
  latest: () => Snapshot | undefined,
): void {
  const { 200: tick, ...problems } = answers(StreamEvent, 'Events `tick` and `state`');
  app.get<{ Querystring: StreamQuery }>('/stream', {
    schema: {
      summary: 'Ticks as server-sent events',
      description:
        'The state of the service and the newest tick come at once, then one message a tick, and one ' +
        'whenever the state changes; a comment every 15 s in between. ' +
        'Choices that are not there fall back to the first that is: `chosen` says which.',
      tags: ['live'],
      querystring: StreamQuery,
      response: {
        200: {
          description: tick.description,
          content: { 'text/event-stream': { schema: StreamEvent } },
        },
        ...problems,
      },
    },
    handler: (request, reply) => {
      if (request.method === 'HEAD') return reply.type('text/event-stream; charset=utf-8').send();
      if (stream.isFullFor(request.ip)) {
        const why =
          'as many streams are open from this address as may be (http.rateLimit: 0 lifts it)';
        return sendProblem(reply, 429, why);
      }
      if (stream.isFull) {
        return sendProblem(reply, 503, `${MAX_READERS} readers are connected already`);
      }
      stream.add(reply, request.query, latest());
      return reply;
    },
  });
}
