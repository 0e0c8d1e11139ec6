import { withSegmentAxes } from '../../estimators/segments/segment-axes.js';
import { FIRST_VALUE } from '../../events/dimensions.js';
import { historyLogarithm } from '../../state/requests/pane-requests.js';
import type { ServedLog } from './arms/served-log.js';

/**
 * A covariate of users that was fixed before their arm was assigned, so that its mean should not
 * differ between arms.
 */
export interface Covariate {
  /**
   * Expected reward of the lists (`promised`), the user's earlier activity, or membership in a
   * segment.
   */
  readonly kind: 'promised' | 'history' | 'segment';
  /** Dimension and value of the segment; empty for the other kinds. */
  readonly of: readonly string[];
  /** Value by request; NaN if unknown. */
  readonly x: ArrayLike<number>;
}

/** Number of values of a dimension that are checked; the values with the most users are chosen. */
const MOST_VALUES = 8;
/**
 * A dimension is not checked if more than this share of requests lacks a value, since missing
 * values may depend on the arm.
 */
const MOST_UNSAID = 0.01;

/**
 * Expected reward of the lists of all arms by request, Σ_a Σ_k θ_k r̂ with r̂ the predicted reward
 * of the item at rank k; NaN for requests that lack items of their lists.
 */
export function promised(
  { requests, items, arms }: ServedLog,
  theta: ArrayLike<number>,
): Covariate {
  const x = new Float64Array(requests.length);
  for (let row = 0; row < items.length; row++) {
    for (const { list } of arms) {
      x[items.request[row]] += (theta[items.ranks[list][row]] ?? 0) * items.predicted![row];
    }
  }
  const { isListed } = requests;
  for (let q = 0; q < x.length; q++) {
    if (isListed?.[q] === 0) {
      x[q] = Number.NaN;
    }
  }
  return {
    kind: 'promised',
    of: [],
    x,
  };
}

/** The covariate `history` by request: ln(1 + earlier activity of its user). */
export function historyOf({ requests: { length, history } }: ServedLog): Covariate {
  const x = Float64Array.from({ length }, (_, q) => historyLogarithm(history?.[q]));
  return {
    kind: 'history',
    of: [],
    x,
  };
}

/**
 * The covariates `segment`, one for each value of a dimension: 1 for requests whose user has the
 * value, otherwise 0. Only dimensions known of nearly all users are used.
 */
export function segmentsOf({ requests: { length, segments } }: ServedLog): Covariate[] {
  const said = {
    rows: length,
    positive: new Uint8Array(length).fill(1),
    ...(segments && { segments }),
  };
  const found = withSegmentAxes(said, {
    values: MOST_VALUES,
    minUsers: 0,
  });
  if (found === null) return [];
  const { segments: divided } = found.part;
  const { dimensions, names, rows } = found.axes;
  return dimensions.flatMap((dimension, d) => {
    const all = rows[d].reduce((sum, own) => sum + own, 0);
    if (rows[d][0] > MOST_UNSAID * all) return [];
    return names[d].slice(FIRST_VALUE).map((value, n): Covariate => {
      const x = divided!.codes[d].map((code) => (code === FIRST_VALUE + n ? 1 : 0));
      return {
        kind: 'segment',
        of: [dimension, value],
        x,
      };
    });
  });
}
