import type { FastifyInstance } from 'fastify';
import type { History } from '../../outputs/history/history.js';
import { answers, sendJson, sendProblem } from '../../outputs/http/answers.js';
import { PageQuery } from '../../outputs/http/schema/query.js';
import { AlarmPage } from './schema.js';

/** Add the route for the alarms in the history. */
export function addAlarmRoute(app: FastifyInstance, { history }: { history: History }): void {
  app.get<{ Querystring: PageQuery }>('/alarms', {
    schema: {
      summary: 'Alarms, newest first',
      tags: ['history'],
      querystring: PageQuery,
      response: answers(AlarmPage, 'A page of alarms'),
    },
    handler: ({ query: { limit = 50, cursor } }, reply) => {
      const alarms = history.alarms();
      const ids = alarms.map(({ at, series, detector }) => cursorOf([at, series, detector]));
      const start = cursor === undefined ? 0 : ids.indexOf(cursor) + 1;
      if (cursor !== undefined && start === 0) {
        return sendProblem(reply, 400, 'the cursor does not match a stored alarm');
      }
      const page = alarms.slice(start, start + limit);
      const isLast = start + limit >= alarms.length;
      return sendJson(reply, {
        alarms: page,
        next: isLast ? null : ids[start + limit - 1],
      });
    },
  });
}

/**
 * Cursor that identifies the last alarm of a page, so that new alarms do not shift the next page.
 */
function cursorOf(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}
