import type { FastifyInstance } from 'fastify';
import type { SegmentNumbers } from '../../estimators/results/segment-report.js';
import { answers, sendJson, sendNothingYet, sendProblem } from '../../outputs/http/answers.js';
import type { LookupSource } from '../../outputs/http/lookup-source.js';
import { cutoffOf, ofWindows } from '../../outputs/http/schema/query.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import { SegmentQuery, SegmentsReport } from './schema.js';
import { segmentRows } from './segment-rows.js';

/** Add the route for estimates by segment in the newest snapshot. */
export function addSegmentRoute(
  app: FastifyInstance,
  { latest, windows: names }: Pick<LookupSource, 'latest' | 'windows'>,
): void {
  app.get<{ Querystring: SegmentQuery }>('/segments', {
    schema: {
      summary: 'Estimates by segment, every window',
      tags: ['numbers'],
      querystring: ofWindows(SegmentQuery, names),
      response: answers(
        SegmentsReport,
        'Estimates of the newest pane; `windows` is empty if no dimensions are configured',
        404,
      ),
    },
    handler: (request, reply) => {
      const snapshot = latest();
      if (snapshot === undefined) return sendNothingYet(reply);
      const { window, dimension } = request.query;
      const windows = snapshot.windows.filter(
        ({ name }) => window === undefined || name === window,
      );
      const known = new Set(windows.flatMap(({ segments }) => segments?.dimensions ?? []));
      if (dimension !== undefined && !known.has(dimension)) {
        return sendProblem(reply, 400, `no dimension is named ${JSON.stringify(dimension)}`);
      }
      const report: SegmentsReport = {
        paneEnd: snapshot.paneEnd,
        windows: windows.flatMap((each) => segmentsOfWindow(each, request.query)),
      };
      return sendJson(reply, report);
    },
  });
}

function segmentsOfWindow(
  { name, segments }: WindowSnapshot,
  query: SegmentQuery,
): SegmentsReport['windows'] {
  if (segments === undefined) return [];
  const { numbers, ...axes } = segments;
  const { dimensions, hidden, minUsers } = axes;
  const asked = wanted(numbers, query);
  const results = segmentRows(axes, asked).filter(
    (row) =>
      (query.dimension === undefined || row.dimension === query.dimension) &&
      // Filter by model only now, since differences are tested over all models together.
      (query.model === undefined || row.model === query.model),
  );
  return [
    {
      name,
      dimensions: dimensions.map((own, d) => ({
        name: own,
        otherValues: hidden[d],
      })),
      minUsers,
      results,
    },
  ];
}

/**
 * Estimates that match a query. By default only the first metric at its first cut-off, since all
 * estimates are thousands of rows.
 */
function wanted(numbers: readonly SegmentNumbers[], query: SegmentQuery): SegmentNumbers[] {
  const metric = query.metric ?? numbers[0]?.metric;
  const first = numbers.find((row) => row.metric === metric);
  const isAll = query.metric !== undefined && query.k === undefined;
  const k = query.k === undefined ? first?.k : cutoffOf(query.k);
  return numbers.filter(
    (row) =>
      row.metric === metric &&
      (isAll || row.k === k) &&
      (query.estimator === undefined || row.estimator === query.estimator) &&
      (query.aggregation === undefined || row.form === query.aggregation),
  );
}
