import type { FastifyInstance } from 'fastify';
import { narrowedReports } from '../../../features/output.js';
import { allOutputs } from '../../../features/outputs.js';
import { windowFindings } from '../../../rows/findings/window-findings.js';
import { wordedTrust } from '../../../rows/findings/window-trust.js';
import { worded } from '../../../rows/findings/words.js';
import { aggregationOf } from '../../../rows/reading.js';
import type { Row } from '../../../rows/row.js';
import type { Snapshot, WindowSnapshot } from '../../../stream/tick/snapshot.js';
import { v1Window } from '../../json/v1.js';
import { answers, sendJson, sendNothingYet, sendProblem } from '../answers.js';
import { cutoffOf, EstimateQuery, ofWindows } from '../schema/query.js';
import { PopularityReport, PropensityReport, SnapshotReport } from '../schema/snapshot.js';

/** Add the routes that return the newest snapshot, complete or filtered. */
export function addEstimateRoute(
  app: FastifyInstance,
  latest: () => Snapshot | undefined,
  windowNames: readonly string[],
): void {
  let written:
    | {
        readonly snapshot: Snapshot;
        readonly json: string;
      }
    | undefined;
  app.get<{ Querystring: EstimateQuery }>('/estimates', {
    schema: {
      summary: 'Estimates of the newest pane, for every window',
      tags: ['numbers'],
      querystring: ofWindows(EstimateQuery, windowNames),
      response: answers(SnapshotReport, 'The newest snapshot', 404),
    },
    handler: (request, reply) => {
      const snapshot = latest();
      if (snapshot === undefined) return sendNothingYet(reply);
      const { model } = request.query;
      if (model !== undefined && !hasModel(snapshot, model)) {
        return sendProblem(reply, 400, `no model is named ${JSON.stringify(model)}`);
      }
      if (Object.keys(request.query).length > 0) {
        return sendJson(reply, narrowed(snapshot, request.query));
      }
      // Snapshots are immutable, so each is serialised once.
      if (written?.snapshot !== snapshot) {
        written = {
          snapshot,
          json: JSON.stringify(withFindings(snapshot, snapshot.windows)),
        };
      }
      return sendJson(reply, written.json);
    },
  });
}

/** Add the routes that return the counts behind the estimates. */
export function addCountRoutes(app: FastifyInstance, latest: () => Snapshot | undefined): void {
  app.get('/popularity', {
    schema: {
      summary: 'Concentration of interactions and exposures',
      tags: ['numbers'],
      response: answers(
        PopularityReport,
        'Concentration of the counts within popularity.horizon',
        404,
      ),
    },
    handler: (_request, reply) => {
      const snapshot = latest();
      if (snapshot === undefined) return sendNothingYet(reply);
      const { paneEnd, catalogueSize, popularity, lorenz } = snapshot;
      const windows = snapshot.windows.map(
        ({ name, averageRecommendationPopularity, averageInteractionPopularity }) => ({
          name,
          averageRecommendationPopularity,
          averageInteractionPopularity,
        }),
      );
      return sendJson(reply, {
        paneEnd,
        catalogueSize,
        popularity,
        lorenz,
        windows,
      });
    },
  });
  app.get('/propensity', {
    schema: {
      summary: 'γ, its fits, and the weights computed from it',
      tags: ['numbers'],
      response: answers(PropensityReport, 'γ and weights of the newest pane', 404),
    },
    handler: (_request, reply) => {
      const snapshot = latest();
      if (snapshot === undefined) return sendNothingYet(reply);
      const { paneEnd, propensity } = snapshot;
      const windows = snapshot.windows.map(({ name, weightDistribution }) => ({
        name,
        weightDistribution,
      }));
      return sendJson(reply, {
        paneEnd,
        propensity,
        windows,
      });
    },
  });
}

/**
 * Whether the snapshot has the model: the model has lists, is the built-in baseline, or has an
 * estimate in any window.
 */
function hasModel({ models, baseline, windows }: Snapshot, model: string): boolean {
  const isNamed = models.includes(model) || model === baseline;
  return isNamed || windows.some(({ results }) => results.some((row) => row.model === model));
}

/** Add findings to each window, and the trust in the numbers to the snapshot. */
function withFindings(snapshot: Snapshot, windows: readonly WindowSnapshot[]): SnapshotReport {
  // Estimates by segment are left out: there are many, and they have a route of their own.
  const judged = windows.map(({ segments: _, ...window }) => ({
    ...v1Window(withoutSegments(window)),
    findings: worded(windowFindings(snapshot, window)),
    trust: wordedTrust(
      snapshot,
      snapshot.windows.find(({ name }) => name === window.name) ?? window,
    ),
  }));
  return {
    ...snapshot,
    windows: judged,
  };
}

function withoutSegments<Window extends Pick<WindowSnapshot, 'feedback'>>(window: Window): Window {
  const uncaused = window.feedback?.uncaused;
  if (!uncaused?.segments) return window;
  const { segments: _, ...rest } = uncaused;
  return {
    ...window,
    feedback: {
      ...window.feedback,
      uncaused: rest,
    },
  };
}

/** Filter the rows of a snapshot by the conditions of a query. Everything else stays unchanged. */
function narrowed(snapshot: Snapshot, query: EstimateQuery): SnapshotReport {
  const k = query.k === undefined ? undefined : cutoffOf(query.k);
  const agrees = (row: object): boolean =>
    (['model', 'metric', 'estimator', 'aggregation'] as const).every((name) => {
      const own = labelOf(row, name);
      return query[name] === undefined || own === undefined || own === query[name];
    }) &&
    (k === undefined || !('k' in row) || row.k === k);
  const windows = snapshot.windows
    .filter(({ name }) => query.window === undefined || name === query.window)
    .map((window) => {
      const lists = NARROWED.flatMap((name) => {
        const rows: readonly object[] | undefined = window[name];
        return rows === undefined ? [] : [[name, rows.filter(agrees)]];
      });
      const own = Object.fromEntries(lists) as Partial<WindowSnapshot>;
      const reports = narrowedReports(allOutputs(), window, agrees);
      return {
        ...window,
        ...own,
        ...reports,
        ...narrowedFeedback(window, agrees),
      };
    });
  return withFindings(snapshot, windows);
}

const NARROWED = [
  'results',
  'differences',
  'againstBaseline',
  'effectiveSampleSizes',
  'models',
  'sensitivity',
] as const;

/**
 * Look up the field of a row that a query parameter filters by. The parameter has the name of the
 * field, except that `aggregation` stands for `form`.
 */
function labelOf(row: object, name: string): unknown {
  if (name === 'aggregation' && 'form' in row) return aggregationOf(row as Pick<Row, 'form'>);
  return (row as Readonly<Record<string, unknown>>)[name];
}

function narrowedFeedback(
  { feedback }: WindowSnapshot,
  agrees: (row: object) => boolean,
): Pick<WindowSnapshot, 'feedback'> {
  if (feedback === undefined) return {};
  if (feedback.uncaused === null) return { feedback };
  const { results, differences, effectiveSampleSizes, ...rest } = feedback.uncaused;
  const uncaused = {
    ...rest,
    results: results.filter(agrees),
    differences: differences.filter(agrees),
    effectiveSampleSizes: effectiveSampleSizes.filter(agrees),
  };
  return {
    feedback: {
      ...feedback,
      uncaused,
    },
  };
}
