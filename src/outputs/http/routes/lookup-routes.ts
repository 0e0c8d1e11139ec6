import type { FastifyInstance } from 'fastify';
import { type Static, Type } from 'typebox';
import { answers, sendJson, sendNothingYet, sendProblem } from '../answers.js';
import type { LookupSource } from '../lookup-source.js';
import { ItemAnswer, UserAnswer } from '../schema/lookup.js';
import { ofWindows } from '../schema/query.js';

/** Maximum length of an id in a path, bytes. */
const MAX_ID_BYTES = 512;

const IdParameter = Type.Object({
  id: Type.String({
    minLength: 1,
    maxLength: MAX_ID_BYTES,
    description: 'Id as in the events',
  }),
});

const ItemQuery = Type.Object(
  { window: Type.Optional(Type.String({ description: 'Window of `lists`; default: the first' })) },
  { additionalProperties: false },
);
type ItemQuery = Static<typeof ItemQuery>;

/** Add the routes that explain the weights of single items and users. */
export function addLookupRoutes(
  app: FastifyInstance,
  { latest, lookup, windows }: LookupSource,
): void {
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
      const { window = windows[0]! } = query;
      const found = await source.item(id, window, snapshot.propensity.gamma);
      if (found === undefined) {
        return sendProblem(reply, 404, 'no interaction or list in a closed pane has this item');
      }
      return sendJson(reply, {
        paneEnd: snapshot.paneEnd,
        ...found,
      });
    },
  });
  app.get<{ Params: { id: string } }>('/users/:id', {
    schema: {
      summary: 'Count and weights of a user',
      tags: ['lookup'],
      params: IdParameter,
      response: answers(UserAnswer, 'As of the newest pane', 404),
    },
    handler: async (request, reply) => {
      const snapshot = latest();
      if (snapshot === undefined) return sendNothingYet(reply);
      const found = await lookup()?.user(request.params.id);
      if (found === undefined) {
        return sendProblem(
          reply,
          404,
          'this process has no interaction of this user within popularity.horizon',
        );
      }
      return sendJson(reply, {
        paneEnd: snapshot.paneEnd,
        ...found,
      });
    },
  });
}
