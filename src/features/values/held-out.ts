import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import { armOnPolicy } from './arms/arm-estimates.js';
import { armsSnips } from './arms/arm-forms.js';
import type { ServedLog } from './arms/served-log.js';
import { strataOfLog } from './arms/share-strata.js';
import { subLog } from './arms/sub-log.js';
import { weighArms } from './arms/weigh-arms.js';
import { standardError } from './influences.js';

/** Value of an arm's lists estimated from the requests of the other arms, compared with its actual reward. */
export interface HeldOut {
  readonly model: string;
  /** h, the relative difference of the estimate from the actual reward, with its z. */
  readonly off: number;
  readonly score: number;
}

/**
 * Evaluate each arm as a challenger, from the requests of the other arms, and compare with its
 * actual reward. A difference shows that users do not examine positions independently.
 *
 *   h = V₋ₐ / V_on − 1, V₋ₐ by snips from requests that a did not serve, P₋ₐ = Σ_{b≠a} s_b θ_b
 *
 * Both values count only items of a's lists that another arm can show (P₋ₐ > 0). Errors are
 * clustered by groups of users and include the error of θ. O(arms² · rows).
 */
export function heldOutArms(
  log: ServedLog,
  theta: Float64Array,
  covariance: SquareMatrix | undefined,
): HeldOut[] {
  const found: HeldOut[] = [];
  if (log.arms.length < 2) return found;
  const columns = [...new Set(log.arms.map(({ list }) => list))].sort((a, b) => a - b);
  for (const [arm, { list, isUniform = false }] of log.arms.entries()) {
    if (isUniform) continue;
    const isOwn = (q: number) => log.requests.arm[q] === arm;
    const others = subLog(log, {
      keeps: (q) => !isOwn(q),
      columns,
      without: arm,
    });
    const own = subLog(log, {
      keeps: isOwn,
      columns,
    });
    const seen = {
      ...own,
      items: ofSeen(own, arm, theta.length),
    };
    const hasSlopes = covariance !== undefined;
    const byOthers = weighArms(others, strataOfLog(others, true), theta, hasSlopes);
    const bySelf = weighArms(seen, strataOfLog(seen, true), theta, false);
    const other = armsSnips(byOthers, columns.indexOf(list));
    const onPolicy = armOnPolicy(bySelf, arm);
    const ratio = other.value / onPolicy.value;
    const stdErr = standardError(
      {
        byCluster: other.byCluster.map(
          (each, u) => ratio * (each / other.value - onPolicy.byCluster[u] / onPolicy.value),
        ),
        byRank: other.byRank.map((each) => (ratio * each) / other.value),
      },
      covariance,
    );
    const off = ratio - 1;
    if (stdErr > 0) {
      found.push({
        model: log.models[list],
        off,
        score: off / stdErr,
      });
    }
  }
  return found;
}

/** Items of a log, with the reward set to 0 for items that no arm except the given one can show. */
function ofSeen(
  { requests, items, arms, shares }: ServedLog,
  arm: number,
  places: number,
): ServedLog['items'] {
  const reward = Float64Array.from(items.reward);
  const isSeen = (row: number, q: number) =>
    arms.some(({ list, isUniform }, b) => {
      const share = requests.share
        ? requests.share[q * arms.length + b]
        : shares[requests.stratum[q]][b];
      if (b === arm || !(share > 0)) return false;
      return isUniform ? requests.candidates![q] > 0 : items.ranks[list][row] < places;
    });
  for (let row = 0; row < items.length; row++) {
    if (reward[row] !== 0 && !isSeen(row, items.request[row])) {
      reward[row] = 0;
    }
  }
  return {
    ...items,
    reward,
  };
}
