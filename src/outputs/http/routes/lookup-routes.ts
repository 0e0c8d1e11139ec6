import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { ITEM_REPORTS } from '../../../features/routes.js';
import { runSliced } from '../../../stream/sliced.js';
import type { LookupSource } from '../../../stream/tick/lookup.js';
import { answers, sendJson, sendNothingYet, sendProblem } from '../answers.js';
import { ItemAnswer, UserAnswer } from '../schema/lookup.js';
import { ofWindows } from '../schema/query.js';

/** Longest id of an event, in bytes. */
const MAX_ID_BYTES = 512;

const IdParameter = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: MAX_ID_BYTES,
    description: 'As in the events',
  }),
});

const ItemQuery = Type.Object(
  { window: Type.Optional(Type.String({ description: 'Of `lists`; the first if left out' })) },
  { additionalProperties: false },
);
type ItemQuery = Static<typeof ItemQuery>;

/** Single items and users, to explain why something weighs what it weighs. */
export function addLookupRoutes(
  app: FastifyInstance,
  { latest, lookup, windows }: LookupSource,
): void {
  const turns = {
    now: () => performance.now(),
    next: () => nextTurn(),
  };
  app.get<{
    Params: { id: string };
    Querystring: ItemQuery;
  }>('/items/:id', {
    schema: {
      summary: 'Count, propensity, weights and stratum of an item, and where models ranked it',
      tags: ['lookup'],
      params: IdParameter,
      querystring: ofWindows(ItemQuery, windows),
      response: answers(ItemAnswer, 'As of the newest pane', 404),
    },
    handler: async ({ params: { id }, query }, reply) => {
      const snapshot = latest();
      const source = lookup();
      if (snapshot === undefined || source === undefined) return sendNothingYet(reply);
      const found = await runSliced(source.item(id, snapshot.propensity.gamma), turns);
      if (found === undefined) {
        return sendProblem(reply, 404, 'no interaction and no list of a closed pane has this item');
      }
      const { window = windows[0]! } = query;
      const reports: object[] = [];
      for (const report of ITEM_REPORTS) {
        reports.push(await runSliced(report(source, window, id), turns));
      }
      return sendJson(
        reply,
        Object.assign(
          {
            paneEnd: snapshot.paneEnd,
            ...found,
          },
          ...reports,
        ),
      );
    },
  });
  app.get<{ Params: { id: string } }>('/users/:id', {
    schema: {
      summary: 'Count and weights of a user',
      tags: ['lookup'],
      params: IdParameter,
      response: answers(UserAnswer, 'As of the newest pane', 404),
    },
    handler: (request, reply) => {
      const snapshot = latest();
      if (snapshot === undefined) return sendNothingYet(reply);
      const found = lookup()?.user(request.params.id);
      if (found === undefined) {
        return sendProblem(
          reply,
          404,
          'no interaction of this process’s partitions within the horizon has this user',
        );
      }
      return sendJson(reply, {
        paneEnd: snapshot.paneEnd,
        ...found,
      });
    },
  });
}
