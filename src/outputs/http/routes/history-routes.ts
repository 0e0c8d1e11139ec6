import type { FastifyInstance, FastifyReply } from 'fastify';
import type { History, SeriesQuery } from '../../history/history.js';
import type { SeriesKind } from '../../history/series.js';
import { answers, sendJson, sendProblem } from '../answers.js';
import { PacedWork } from '../paced-work.js';
import { SeriesReport } from '../schema/history.js';
import {
  cutoffOf,
  DifferenceHistoryQuery,
  EstimateHistoryQuery,
  HistoryQuery,
  ofWindows,
} from '../schema/query.js';

const SERIES: readonly [path: string, kind: SeriesKind, summary: string][] = [
  ['/popularity/history', 'popularity', 'Gini, top share, coverage and mean popularity over time'],
  ['/propensity/history', 'propensity', 'γ over time: the value used, and each fit'],
  ['/samples/history', 'samples', 'Effective sample sizes over time'],
  ['/quality/history', 'quality', 'Events by outcome, and lag, over time'],
];

/** Add the routes that return series of the history. */
export function addHistoryRoutes(
  app: FastifyInstance,
  history: History,
  windows: readonly string[],
): void {
  const paced = new PacedWork();
  const send = (reply: FastifyReply, kind: SeriesKind, query: SeriesQuery) =>
    sendSeries(reply, {
      history,
      paced,
      kind,
      query,
    });
  app.get<{ Querystring: EstimateHistoryQuery }>('/estimates/history', {
    schema: {
      summary: 'Estimates over time',
      tags: ['history'],
      querystring: ofWindows(EstimateHistoryQuery, windows),
      response: answers(SeriesReport, 'One series for each requested estimate'),
    },
    handler: ({ query }, reply) => send(reply, 'estimates', ofCutoff(query)),
  });
  app.get<{ Querystring: DifferenceHistoryQuery }>('/differences/history', {
    schema: {
      summary: 'Differences to the reference model, or to the control, over time',
      tags: ['history'],
      querystring: ofWindows(DifferenceHistoryQuery, windows),
      response: answers(SeriesReport, 'One series for each requested difference'),
    },
    handler: ({ query }, reply) => send(reply, 'differences', ofCutoff(query)),
  });
  for (const [path, kind, summary] of SERIES) {
    app.get<{ Querystring: HistoryQuery }>(path, {
      schema: {
        summary,
        tags: ['history'],
        querystring: ofWindows(HistoryQuery, windows),
        response: answers(SeriesReport, 'Series, each with its labels'),
      },
      handler: ({ query }, reply) => send(reply, kind, splitQuery(query)),
    });
  }
}

interface AskedSeries {
  readonly history: History;
  readonly paced: PacedWork;
  readonly kind: SeriesKind;
  readonly query: SeriesQuery;
}

async function sendSeries(
  reply: FastifyReply,
  { history, paced, kind, query }: AskedSeries,
): Promise<FastifyReply> {
  const { model } = query.labels;
  if ((query.from ?? 0) > (query.to ?? Number.POSITIVE_INFINITY)) {
    return sendProblem(reply, 400, '`from` must not be after `to`');
  }
  if (model !== undefined && !history.mayHaveModel(model)) {
    return sendProblem(reply, 400, `the history has no model ${JSON.stringify(model)}`);
  }
  if (paced.isFull) {
    return sendProblem(
      reply.header('retry-after', 1),
      503,
      'too many history requests are running; try again',
    );
  }
  const isWanted = () => !reply.raw.destroyed;
  const text = await paced.run(() => writing(history, kind, query), isWanted);
  return text === undefined ? reply.hijack() : sendJson(reply, text);
}

/**
 * Write the response to a history query as JSON, as a generator that yields at least once per
 * series.
 */
function* writing(history: History, kind: SeriesKind, query: SeriesQuery): Generator<void, string> {
  const { series, ...rest } = yield* history.selecting(kind, query);
  const parts: string[] = [];
  for (const one of series) {
    parts.push(JSON.stringify(one));
    yield;
  }
  return `${JSON.stringify(rest).slice(0, -1)},"series":[${parts.join(',')}]}`;
}

/** Convert a query with a cut-off to a series query; `k` becomes a label. */
function ofCutoff({ k, ...query }: EstimateHistoryQuery | DifferenceHistoryQuery): SeriesQuery {
  const { labels, ...period } = splitQuery(query);
  return {
    ...period,
    labels: {
      ...labels,
      ...(k === undefined ? {} : { k: cutoffOf(k) }),
    },
  };
}

/**
 * Convert a query to a series query: the period and the names of values are separated from the
 * labels.
 */
function splitQuery(
  query: Omit<EstimateHistoryQuery | DifferenceHistoryQuery, 'k'> | HistoryQuery,
): SeriesQuery {
  const { from, to, step, points, values, ...labels } = query;
  return {
    from,
    to,
    step,
    points,
    labels,
    values: values?.split(','),
  };
}
