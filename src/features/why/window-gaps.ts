import type { Measure } from '../../estimators/metrics/metric-gain.js';
import { type Aggregation, LEADING, UNCORRECTED } from '../../estimators/names.js';
import type { EstimateDifference, EstimateRow } from '../../estimators/results/estimate.js';
import { isGiven } from '../../rows/reading.js';
import type { WindowSnapshot } from '../../stream/snapshot.js';
import type { GapQuestion, GapReport, Why } from './why.js';

const AGGREGATION: Aggregation = 'pooled';
/** Gaps of a kind that are taken apart. */
const MOST_GAPS = 5;
/** Items that are named of each. */
const MOST_ITEMS = 5;

/**
 * Takes the widest gaps of a window apart: of models between uncorrected and corrected, and of models to
 * the one that they are compared with. What is withheld has none.
 *
 * @param measure whose gaps; of a window without it the first one that it has
 */
export function* windowGaps(
  why: Pick<Why, 'gap'>,
  window: WindowSnapshot,
  measure: Measure | undefined,
): Generator<void, GapReport[]> {
  const { name, results, differences } = window;
  const of = (asked: Measure) => (row: EstimateRow | EstimateDifference) =>
    row.metric === asked.metric && row.k === asked.k && row.form === AGGREGATION && isGiven(row);
  const isThere = measure !== undefined && results.some(of(measure));
  const asked = isThere ? measure : results[0];
  if (asked === undefined) return [];
  const rows = results.filter(of(asked));
  const corrections = rows.flatMap(({ model, estimator, value }) => {
    if (estimator !== LEADING) return [];
    const plain = rows.find((row) => row.model === model && row.estimator === UNCORRECTED);
    return plain === undefined ? [] : [{ model, against: undefined, gap: plain.value - value }];
  });
  const pairs = differences
    .filter(of(asked))
    .flatMap(({ model, reference, estimator, value }) =>
      estimator === LEADING ? [{ model, against: reference, gap: value }] : [],
    );
  const found: GapReport[] = [];
  for (const { model, against } of [...widest(corrections), ...widest(pairs)]) {
    const question: GapQuestion = {
      ...{ window: name, metric: asked.metric, k: asked.k, aggregation: AGGREGATION },
      ...{ model, estimator: LEADING, against, most: MOST_ITEMS },
    };
    const report = yield* why.gap(question);
    if (typeof report !== 'string') found.push(report);
  }
  return found;
}

function widest<Each extends { readonly gap: number }>(gaps: readonly Each[]): Each[] {
  return [...gaps]
    .filter(({ gap }) => Number.isFinite(gap))
    .sort((a, b) => Math.abs(b.gap) - Math.abs(a.gap))
    .slice(0, MOST_GAPS);
}
