import type { FastifyInstance } from 'fastify';
import { Type } from 'typebox';
import type { Snapshot } from '../../../stream/snapshot.js';
import { answers } from '../answers.js';
import { sendProblem } from '../reply.js';
import { LiveTick } from '../schema/live-tick.js';
import { StreamQuery } from '../schema/query.js';
import { MAX_READERS, type TickStream } from './tick-stream.js';

/** One event of the stream, as its lines say it. */
const StreamEvent = Type.Object({
  event: Type.Optional(Type.String({ description: 'tick' })),
  id: Type.Optional(Type.String({ description: 'End of the pane, ms' })),
  data: Type.Optional(
    Type.String({
      contentMediaType: 'application/json',
      contentSchema: LiveTick,
      description: 'The tick, as JSON',
    }),
  ),
});

/** Server-sent events: the newest tick at once, then one message a tick. */
export function addStreamRoute(
  app: FastifyInstance,
  stream: TickStream,
  latest: () => Snapshot | undefined,
): void {
  const { 200: tick, ...problems } = answers(StreamEvent, 'Events `tick`');
  app.get<{ Querystring: StreamQuery }>('/stream', {
    schema: {
      summary: 'Ticks as server-sent events',
      description:
        'The newest tick comes at once, then one message a tick; a comment every 15 s in between. ' +
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
        const why = 'as many streams are open from this address as may be (http.streamsPerAddress)';
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
