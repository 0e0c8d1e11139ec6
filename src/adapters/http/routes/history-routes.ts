import type { FastifyInstance } from 'fastify';
import type { History, SeriesQuery } from '../../../history/history.js';
import type { SeriesKind } from '../../../history/series.js';
import { answers } from '../answers.js';
import { sendJson, sendProblem } from '../reply.js';
import { AlarmPage } from '../schema/alarm.js';
import { SeriesReport } from '../schema/history.js';
import { cutoffOf, EstimateHistoryQuery, HistoryQuery, PageQuery } from '../schema/query.js';

const SERIES: readonly [path: string, kind: SeriesKind, summary: string][] = [
  ['/popularity/history', 'popularity', 'Gini, top share, coverage and mean popularity over time'],
  ['/propensity/history', 'propensity', 'γ over time: what was used, and each fit'],
  ['/samples/history', 'samples', 'Effective sample sizes over time'],
  ['/quality/history', 'quality', 'Events by what became of them, and lag, over time'],
];

/** What the history keeps, as series; and its alarms. */
export function addHistoryRoutes(app: FastifyInstance, history: History): void {
  app.get<{ Querystring: EstimateHistoryQuery }>('/estimates/history', {
    schema: {
      summary: 'Estimates over time',
      tags: ['history'],
      querystring: EstimateHistoryQuery,
      response: answers(SeriesReport, 'A series for each estimate that is asked for'),
    },
    handler: ({ query: { k, ...query } }, reply) => {
      const { labels, ...period } = splitQuery(query);
      const asked = { ...labels, ...(k === undefined ? {} : { k: cutoffOf(k) }) };
      return sendSeries(reply, 'estimates', { ...period, labels: asked });
    },
  });
  for (const [path, kind, summary] of SERIES) {
    app.get<{ Querystring: HistoryQuery }>(path, {
      schema: {
        summary,
        tags: ['history'],
        querystring: HistoryQuery,
        response: answers(SeriesReport, 'Series by their labels'),
      },
      handler: ({ query }, reply) => sendSeries(reply, kind, splitQuery(query)),
    });
  }
  const sendSeries = (
    reply: Parameters<typeof sendJson>[0],
    kind: SeriesKind,
    query: SeriesQuery,
  ) => {
    if ((query.from ?? 0) > (query.to ?? Number.POSITIVE_INFINITY)) {
      return sendProblem(reply, 400, 'from lies after to');
    }
    return sendJson(reply, history.select(kind, query));
  };
  addAlarms(app, history);
}

/** The period and what is asked of each series, apart from the labels that series must have. */
function splitQuery(query: Omit<EstimateHistoryQuery, 'k'> | HistoryQuery): SeriesQuery {
  const { from, to, step, points, values, ...labels } = query;
  return { from, to, step, points, labels, values: values?.split(',') };
}

function addAlarms(app: FastifyInstance, history: History): void {
  app.get<{ Querystring: PageQuery }>('/alarms', {
    schema: {
      summary: 'Alarms, newest first',
      tags: ['history'],
      querystring: PageQuery,
      response: answers(AlarmPage, 'A page of them'),
    },
    handler: ({ query: { limit = 50, cursor } }, reply) => {
      const alarms = history.alarms();
      const ids = alarms.map(({ at, series, detector }) => cursorOf([at, series, detector]));
      const start = cursor === undefined ? 0 : ids.indexOf(cursor) + 1;
      if (cursor !== undefined && start === 0) {
        return sendProblem(reply, 400, 'the cursor names no alarm that is kept');
      }
      const page = alarms.slice(start, start + limit);
      const isLast = start + limit >= alarms.length;
      return sendJson(reply, { alarms: page, next: isLast ? null : ids[start + limit - 1] });
    },
  });
}

/** Names the last alarm of a page, so that new alarms shift nothing. */
function cursorOf(parts: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(parts)).toString('base64url');
}
