import type { FastifyInstance, FastifyReply } from 'fastify';
import { LEADING } from '../../estimators/names.js';
import { answers, sendJson, sendProblem } from '../../outputs/http/answers.js';
import type { LookupSource } from '../../outputs/http/lookup-source.js';
import { PacedWork } from '../../outputs/http/paced-work.js';
import { cutoffOf, ofWindows } from '../../outputs/http/schema/query.js';
import { isGiven } from '../../rows/reading.js';
import { GapOrReason, GapQuery } from './schema.js';
import type { GapQuestion, GapReport, WhyNot } from './why.js';

const WHY_NOT: Readonly<Record<WhyNot, string>> = {
  'no rows':
    'this worker does not have the rows of the newest pane: they are not ready yet, or in partitions of another worker',
  'too large': 'the window has more rows than are stored; try a shorter window',
  'no such number':
    'one of the two estimates cannot be split by items, or there is none; /api/v1/estimates lists all',
};

/** Maximum number of cached answers per pane, enough for several open pages. */
const MOST_KNOWN = 256;

/** Cache of the answers of one pane, by question. */
class Answers {
  #paneEnd = Number.NaN;
  readonly #known = new Map<string, Promise<GapReport | WhyNot>>();

  of(
    paneEnd: number,
    question: GapQuestion,
    work: () => Promise<GapReport | WhyNot>,
  ): Promise<GapReport | WhyNot> {
    if (paneEnd !== this.#paneEnd || this.#known.size >= MOST_KNOWN) {
      this.#known.clear();
    }
    this.#paneEnd = paneEnd;
    const key = JSON.stringify(question);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const made = work();
    this.#known.set(key, made);
    // Do not cache a failure.
    made.catch(() => this.#known.delete(key));
    return made;
  }
}

/** Add the route that decomposes a gap by items and groups of users. */
export function addWhyRoute(app: FastifyInstance, { latest, lookup, windows }: LookupSource): void {
  const paced = new PacedWork();
  const known = new Answers();
  app.get<{ Querystring: GapQuery }>('/why', {
    schema: {
      summary:
        'Items and groups of users behind a gap between two estimates, with the contribution of each',
      tags: ['lookup'],
      querystring: ofWindows(GapQuery, windows),
      response: answers(
        GapOrReason,
        'Contributions that sum to the gap, or the reason why there are none',
      ),
    },
    handler: async ({ query }, reply): Promise<FastifyReply> => {
      const source = lookup();
      const snapshot = latest();
      if (source === undefined || snapshot === undefined) {
        return sendJson(reply, { reason: WHY_NOT['no rows'] });
      }
      const question = questionOf(query, windows);
      const { window, model, against } = question;
      const rows = snapshot.windows.find(({ name }) => name === window)?.results ?? [];
      const withheld = rows.find(
        (row) =>
          (row.model === model || row.model === against) &&
          row.metric === question.metric &&
          row.k === question.k &&
          row.form === question.aggregation &&
          !isGiven(row),
      );
      if (withheld !== undefined) {
        const { model: name, estimator } = withheld;
        return sendJson(reply, {
          reason: `${estimator} of ${JSON.stringify(name)} is not reported`,
        });
      }
      if (paced.isFull) {
        return sendProblem(
          reply.header('retry-after', 1),
          503,
          'too many requests for gaps at once; try again in a second',
        );
      }
      const found = await known.of(snapshot.paneEnd, question, () =>
        paced.inTurn(() => source.look('why', question)),
      );
      if (typeof found === 'string') return sendJson(reply, { reason: WHY_NOT[found] });
      return sendJson(reply, found);
    },
  });
}

function questionOf(
  { window, model, metric, k = 'none', estimator, aggregation, against, limit }: GapQuery,
  windows: readonly string[],
): GapQuestion {
  return {
    window: window ?? windows[0]!,
    model,
    metric,
    k: cutoffOf(k),
    estimator: estimator ?? LEADING,
    aggregation: aggregation ?? 'pooled',
    against,
    most: limit ?? 10,
  };
}
