import type { SquareMatrix } from '../../estimators/mathematics/cholesky.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { inSlices } from '../../estimators/slices.js';
import { armOnPolicy } from './arms/arm-estimates.js';
import { armsSnips } from './arms/arm-forms.js';
import { ArmSums } from './arms/arm-sums.js';
import type { DividedLog, ServedLog } from './arms/served-log.js';
import { allServed, shareStrata, sharesByRequest } from './arms/share-strata.js';
import { subLog } from './arms/sub-log.js';
import { armShape, weighArms } from './arms/weigh-arms.js';
import { standardError } from './influences.js';

/** What an arm's lists are worth by the requests that it did not serve, against what they earned. */
export interface HeldOut {
  readonly model: string;
  /** By how much it is off, as a part of what they earned, with z of that. */
  readonly off: number;
  readonly score: number;
}

/**
 * Values each arm as if it were a challenger, from the requests of the others, where what it earned is
 * known: if users do not look at each place on its own, the two differ.
 *
 *   h = V₋ₐ / V_on − 1, V₋ₐ by snips from requests that a did not serve, P₋ₐ = Σ_{b≠a} s_b θ_b
 *
 * both over a's items with P₋ₐ > 0, errors by groups of users and of θ.
 *
 * @param rounds bring all partitions together: three rounds an arm. O(arms² · rows).
 */
export function* heldOutArms(
  log: DividedLog,
  theta: Float64Array,
  covariance: SquareMatrix | undefined,
  rounds: Rounds,
): Generator<void, HeldOut[]> {
  const found: HeldOut[] = [];
  if (log.arms.length < 2) return found;
  for (const [arm, { list, isUniform = false }] of log.arms.entries()) {
    if (isUniform) continue;
    const columns = [...new Set(log.arms.map((each) => each.list))].sort((a, b) => a - b);
    const others = yield* subLog(log, {
      keeps: ({ requests }, q) => requests.arm[q] !== arm,
      columns,
      without: arm,
    });
    const byOthers = yield* sumsOf(
      { ...others, isPredicted: false },
      theta,
      covariance !== undefined,
      rounds,
    );
    const keeps = ({ requests }: ServedLog, q: number) => requests.arm[q] === arm;
    const own = yield* subLog(log, { keeps, columns });
    const seen: ServedLog[] = [];
    for (const part of own.parts) {
      seen.push({ ...part, items: yield* ofSeen(part, arm, theta.length) });
    }
    const bySelf = yield* sumsOf({ ...own, isPredicted: false, parts: seen }, theta, false, rounds);
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
    if (stdErr > 0) found.push({ model: log.models[list], off, score: off / stdErr });
  }
  return found;
}

function* sumsOf(
  log: DividedLog,
  theta: Float64Array,
  hasSlopes: boolean,
  rounds: Rounds,
): Generator<void, ArmSums> {
  const served = log.hasOwnShares ? new Float64Array(0) : yield* allServed(log, rounds);
  const strata = shareStrata(served, log.shares, !log.hasOwnShares);
  const shape = armShape(log, log.hasOwnShares ? 1 : strata.count, theta.length);
  return yield* rounds.gather(new ArmSums(shape), log.parts, function* weigh(into, part) {
    const { share } = part.requests;
    const own = share === undefined ? strata : sharesByRequest(share);
    yield* weighArms(part, own, theta, hasSlopes, into);
  });
}

/** With the rewards of those items alone that another arm may show. */
function* ofSeen({ requests, items, arms, shares }: ServedLog, arm: number, places: number) {
  const reward = Float64Array.from(items.reward);
  const isSeen = (row: number, q: number) =>
    arms.some(({ list, isUniform }, b) => {
      const share = requests.share
        ? requests.share[q * arms.length + b]
        : shares[requests.stratum[q]][b];
      if (b === arm || !(share > 0)) return false;
      return isUniform ? requests.candidates![q] > 0 : items.ranks[list][row] < places;
    });
  yield* inSlices(items.length, (from, to) => {
    for (let row = from; row < to; row++) {
      if (reward[row] !== 0 && !isSeen(row, items.request[row])) reward[row] = 0;
    }
  });
  return { ...items, reward };
}
