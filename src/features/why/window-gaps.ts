import type { Measure } from '../../estimators/metrics/metric-gain.js';
import { type Aggregation, LEADING, UNCORRECTED } from '../../estimators/names.js';
import type { EstimateDifference, EstimateRow } from '../../estimators/results/estimate.js';
import { isGiven } from '../../rows/reading.js';
import type { FeatureOptions } from '../../stream/feature-types.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import { ACROSS } from '../across.js';
import type { FeatureQuestion } from '../output.js';
import { WHY_FLAG } from './flag.js';
import { whySection } from './section.js';
import { type GapQuestion, type GapReport, Why } from './why.js';

const AGGREGATION: Aggregation = 'pooled';
/** Maximum number of gaps of each kind to decompose. */
const MOST_GAPS = 5;
/** Number of items to name per gap. */
const MOST_ITEMS = 5;

/** The question that `--why` asks. */
export const WHY_QUESTION: FeatureQuestion<GapReport[]> = {
  ...WHY_FLAG,
  answer: windowGaps,
  section: whySection,
};

/**
 * Decompose the widest gaps of a window: between the uncorrected and the corrected value of a
 * model, and between models and the reference. Estimates that are not reported have no gaps.
 *
 * The gaps are those of the metric that decides between models, or else of the first metric of the
 * window.
 */
export function windowGaps(
  source: ConstructorParameters<typeof Why>[0],
  { windows: [window] }: Snapshot,
  options: FeatureOptions,
): GapReport[] {
  const { name, results, differences } = window;
  const of = (asked: Measure) => (row: EstimateRow | EstimateDifference) =>
    row.metric === asked.metric && row.k === asked.k && row.form === AGGREGATION && isGiven(row);
  const measure = ACROSS.map((own) => own.measure?.(options)).find((own) => own !== undefined);
  const isThere = measure !== undefined && results.some(of(measure));
  const asked = isThere ? measure : results[0];
  if (asked === undefined) return [];
  const rows = results.filter(of(asked));
  const corrections = rows.flatMap(({ model, estimator, value }) => {
    if (estimator !== LEADING) return [];
    const plain = rows.find((row) => row.model === model && row.estimator === UNCORRECTED);
    return plain === undefined
      ? []
      : [
          {
            model,
            against: undefined,
            gap: plain.value - value,
          },
        ];
  });
  const pairs = differences.filter(of(asked)).flatMap(({ model, reference, estimator, value }) =>
    estimator === LEADING
      ? [
          {
            model,
            against: reference,
            gap: value,
          },
        ]
      : [],
  );
  const why = new Why(source);
  const found: GapReport[] = [];
  for (const { model, against } of [...widest(corrections), ...widest(pairs)]) {
    const question: GapQuestion = {
      window: name,
      metric: asked.metric,
      k: asked.k,
      aggregation: AGGREGATION,
      model,
      estimator: LEADING,
      against,
      most: MOST_ITEMS,
    };
    const report = why.gap(question);
    if (typeof report !== 'string') {
      found.push(report);
    }
  }
  return found;
}

function widest<Each extends { readonly gap: number }>(gaps: readonly Each[]): Each[] {
  return [...gaps]
    .filter(({ gap }) => Number.isFinite(gap))
    .sort((a, b) => Math.abs(b.gap) - Math.abs(a.gap))
    .slice(0, MOST_GAPS);
}
