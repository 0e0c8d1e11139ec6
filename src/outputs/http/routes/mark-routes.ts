import type { FastifyInstance, FastifyReply } from 'fastify';
import { UnskewError } from '../../../errors.js';
import { type Mark, type MarkOutcome, MOST_MARKS } from '../../history/marks.js';
import { answers, problemAnswers, sendJson, sendProblem, strictly } from '../answers.js';
import { Mark as MarkAnswer, MarkList, MarkOrder } from '../schema/mark.js';

/**
 * Functions that the routes for marks need. They reject with code STATE if the store is
 * unavailable.
 */
export interface MarkRoutes {
  /** Read all marks, ordered by time. */
  all(): Promise<readonly Mark[]>;
  add(order: MarkOrder): Promise<{
    readonly mark: Mark;
    readonly outcome: MarkOutcome;
  }>;
}

/**
 * Maximum time by which a mark may be ahead of this clock, ms. A larger lead means that a clock is
 * wrong.
 */
const FURTHEST_AHEAD_MS = 300_000;

/**
 * Add the routes under `/api/v1/marks`: deployments, changes and notes for the time charts. Any
 * worker of a group accepts them.
 */
export function addMarkRoutes(app: FastifyInstance, marks: MarkRoutes): void {
  app.get('/marks', {
    schema: {
      summary: 'Marks of deploys, changed settings and notes',
      tags: ['history'],
      response: answers(MarkList, 'All stored marks'),
    },
    handler: (_request, reply) =>
      unlessAway(reply, async () => sendJson(reply, { marks: await marks.all() })),
  });
  const made = {
    description: 'The new mark',
    content: { 'application/json': { schema: MarkAnswer } },
  };
  app.post<{ Body: MarkOrder }>('/marks', {
    schema: {
      summary: 'Mark a moment on the time charts',
      tags: ['history'],
      body: MarkOrder,
      response: {
        201: made,
        ...problemAnswers(400, 403, 413, 415, 503),
      },
    },
    validatorCompiler: strictly,
    handler: ({ body }, reply) => unlessAway(reply, () => add(marks, body, reply)),
  });
}

async function add(marks: MarkRoutes, body: MarkOrder, reply: FastifyReply): Promise<FastifyReply> {
  if ((body.time ?? 0) > Date.now() + FURTHEST_AHEAD_MS) {
    return sendProblem(reply, 400, 'time is in the future');
  }
  const { mark, outcome } = await marks.add(body);
  if (outcome === 'too_old') {
    return sendProblem(
      reply,
      400,
      `this mark is older than all ${MOST_MARKS} stored marks, and no more can be stored`,
    );
  }
  return sendJson(reply.code(201), mark);
}

async function unlessAway(
  reply: FastifyReply,
  answer: () => Promise<FastifyReply>,
): Promise<FastifyReply> {
  try {
    return await answer();
  } catch (error) {
    if (!(error instanceof UnskewError) || error.code !== 'STATE') throw error;
    return sendProblem(reply, 503, `marks are not available now: ${error.message}`);
  }
}
