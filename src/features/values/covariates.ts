import type { Rounds } from '../../estimators/partitions/rounds.js';
import { withSegmentAxes } from '../../estimators/segments/segment-axes.js';
import { inSlices } from '../../estimators/slices.js';
import { FIRST_VALUE } from '../../events/dimensions.js';
import { historyLogarithm } from '../../state/requests/pane-requests.js';
import type { DividedLog } from './arms/served-log.js';

/** What was known of users before an arm was drawn. */
export interface Covariate {
  /** What lists promise, what users did before, or the share of those with a value of a dimension. */
  readonly kind: 'promised' | 'history' | 'segment';
  /** Dimension and value. */
  readonly of: readonly string[];
  /** By partition and request; NaN where it is not known. */
  readonly x: readonly ArrayLike<number>[];
}

/** Values of a dimension that are looked at, those of most users. */
const MOST_VALUES = 8;
/** Share of requests of whose users a dimension says nothing: of more, chance is not what decides that. */
const MOST_UNSAID = 0.01;

/** What the lists of all arms promise: Σ_a Σ_k θ_k r̂. */
export function* promised(
  { parts }: DividedLog,
  theta: ArrayLike<number>,
): Generator<void, Covariate> {
  const found: Float64Array[] = [];
  for (const { requests, items, arms } of parts) {
    const own = new Float64Array(requests.length);
    yield* inSlices(items.length, (from, to) => {
      for (let row = from; row < to; row++) {
        for (const { list } of arms) {
          own[items.request[row]] += (theta[items.ranks[list][row]] ?? 0) * items.predicted![row];
        }
      }
    });
    const { isListed } = requests;
    yield* inSlices(isListed === undefined ? 0 : own.length, (from, to) => {
      for (let q = from; q < to; q++) if (isListed![q] === 0) own[q] = Number.NaN;
    });
    found.push(own);
  }
  return { kind: 'promised', of: [], x: found };
}

/** ln(1 + what users did before their request). */
export function historyOf({ parts }: DividedLog): Covariate {
  const x = parts.map(({ requests: { length, history } }) =>
    Float64Array.from({ length }, (_, q) => historyLogarithm(history?.[q])),
  );
  return { kind: 'history', of: [], x };
}

/**
 * Whether users have a value of a dimension, of those that are known of nearly all.
 *
 * @param rounds bring all partitions together: one round.
 */
export function* segmentsOf({ parts }: DividedLog, rounds: Rounds): Generator<void, Covariate[]> {
  const said = parts.map(({ requests: { length, segments } }) => ({
    rows: length,
    positive: new Uint8Array(length).fill(1),
    ...(segments && { segments }),
  }));
  const found = yield* withSegmentAxes(said, { values: MOST_VALUES, minUsers: 0 }, rounds);
  if (found === null) return [];
  const { dimensions, names, rows } = found.axes;
  return dimensions.flatMap((dimension, d) => {
    const all = rows[d].reduce((sum, own) => sum + own, 0);
    if (rows[d][0] > MOST_UNSAID * all) return [];
    return names[d].slice(FIRST_VALUE).map((value, n): Covariate => {
      const has = (code: number) => (code === FIRST_VALUE + n ? 1 : 0);
      const x = found.parts.map(({ segments }) => Float64Array.from(segments!.codes[d], has));
      return { kind: 'segment', of: [dimension, value], x };
    });
  });
}
