import { ON_POLICY } from '../../estimators/names.js';
import { UNCAUSED } from '../../state/panes/row-causes.js';
import {
  LIST_SAMPLED_FULL,
  NOT_IN_LIST,
  UNRANKED,
  type WindowPart,
} from '../../state/panes/window-part.js';
import type { Objection, PairEvidence } from '../evidence.js';
import type { ValueRow } from './value-row.js';

/** Estimated number of an arm's clicks that lack a list id, relative to those that have one. */
interface ArmNames {
  readonly model: string;
  /** Clicks without a list id per click with one; Infinity if none has one. */
  readonly lift: number;
  readonly stdErr: number;
}

/**
 * |z| above which a difference in `lift` between two arms, or an arm's number of clicks without a
 * list id, is significant.
 */
const MOST_Z = 3.5;
/**
 * Difference in `lift` between two arms above which evidence on models that were not served is
 * withheld.
 */
const LEAST_APART = 0.1;
/**
 * Evidence is withheld if its difference has a |z| below this once clicks without a list id are
 * counted.
 */
const LEAST_Z = 1.645;

/**
 * Estimate how many clicks caused by each arm's lists lack a list id.
 *
 *   C_a = S_a − r_a H_a,   lift = C_a / named_a,   r_a = N_a / (N − N_a)
 *
 * S and H count clicks without a list id on items of arm a's list. S counts them if the user's
 * latest served list was of arm a, H if it was of another arm. N counts requests. Organic clicks
 * add equally to S and to r H, since the arm is randomised. Errors are clustered by user. Where
 * arms show the same items, the estimate is biased towards 0.
 *
 * @param requests number of requests served, by arm.
 */
export function namesOfArms(
  rows: WindowPart,
  models: readonly string[],
  requests: ReadonlyMap<string, number>,
): ArmNames[] {
  const arms = models.flatMap((model, column) => (requests.has(model) ? [column] : []));
  const all = [...requests.values()].reduce((sum, own) => sum + own, 0);
  const found: ArmNames[] = [];
  for (const column of arms) {
    const model = models[column];
    const own = requests.get(model)!;
    const { named, unnamed, stdErr } = clicksOf(rows, arms, column, own / (all - own));
    if (named > 0) {
      found.push({
        model,
        lift: unnamed / named,
        stdErr: stdErr / named,
      });
    } else if (unnamed > MOST_Z * stdErr) {
      found.push({
        model,
        lift: Number.POSITIVE_INFINITY,
        stdErr: 0,
      });
    }
  }
  return found;
}

/** Clicks with a list id of an arm, and the estimated number of its clicks without one. */
function clicksOf(
  { users, userStart, positive, causes, ranks, lists }: WindowPart,
  arms: readonly number[],
  column: number,
  ratio: number,
): {
  readonly named: number;
  readonly unnamed: number;
  readonly stdErr: number;
} {
  let named = 0;
  // Totals S and H, and ΣS², ΣSH and ΣH² over users.
  let [allShown, allHidden, ofShown, ofBoth, ofHidden] = [0, 0, 0, 0, 0];
  for (let u = 0; u < (causes === undefined ? 0 : users); u++) {
    let shown = 0;
    let hidden = 0;
    for (let r = userStart[u]; r < userStart[u + 1]; r++) {
      if (positive[r] === 0) continue;
      if (causes!.cause[r] === column + 1) {
        named++;
      }
      const served = causes!.served[r] - 1;
      if (causes!.cause[r] !== UNCAUSED || !arms.includes(served)) continue;
      const rank = ranks[column][r];
      if (rank === UNRANKED || rank === NOT_IN_LIST) continue;
      if ((lists[column][r] & LIST_SAMPLED_FULL) === LIST_SAMPLED_FULL) continue;
      if (served === column) {
        shown++;
      } else {
        hidden++;
      }
    }
    allShown += shown;
    allHidden += hidden;
    ofShown += shown * shown;
    ofBoth += shown * hidden;
    ofHidden += hidden * hidden;
  }
  const squares = ofShown - 2 * ratio * ofBoth + ratio * ratio * ofHidden;
  return {
    named,
    unnamed: allShown - ratio * allHidden,
    stdErr: Math.sqrt(Math.max(0, squares)),
  };
}

/**
 * Objections that may only follow from missing list ids. The objection that arms lack list ids
 * unevenly replaces them.
 */
const FOLLOWS: ReadonlySet<string> = new Set([
  'arm_off',
  'arms_disagree',
  'lists_follow_arm',
  'few_rewards',
  'no_rewards',
]);

/** Withhold evidence on arms if clicks on one arm's lists have list ids less often than those on another's. */
export function withNames(
  evidence: readonly PairEvidence[],
  names: readonly ArmNames[],
  values: readonly ValueRow[],
): readonly PairEvidence[] {
  return evidence.map((pair) => {
    const { rung, model, reference, objection } = pair;
    const ofPair = names.filter((own) => own.model === model || own.model === reference);
    if (rung !== 'experiment' && rung !== 'arms') return pair;
    const gap = rung === 'arms' ? gapIn(names, LEAST_APART) : gapIn(ofPair, 0);
    if (gap === undefined) return pair;
    if (objection === null ? stands(pair, ofPair, values) : !FOLLOWS.has(objection.reason)) {
      return pair;
    }
    return {
      ...pair,
      objection: gap,
    };
  });
}

/**
 * Objection that names the two arms whose `lift` differs most, if the difference is above `least`
 * and significant.
 */
function gapIn(names: readonly ArmNames[], least: number): Objection | undefined {
  const [low, ...others] = [...names].sort((a, b) => a.lift - b.lift);
  const high = others.at(-1);
  if (high === undefined) return undefined;
  const apart = high.lift - low.lift;
  if (!(apart > least && apart > MOST_Z * Math.hypot(high.stdErr, low.stdErr))) return undefined;
  const [missing, other] = [high, low].map(({ lift }) =>
    lift === Number.POSITIVE_INFINITY ? 1 : Math.max(0, lift / (1 + lift)),
  );
  return {
    reason: 'names_differ',
    figures: { missing, other },
    of: [high.model, low.model],
  };
}

/**
 * Whether a difference keeps its sign and stays significant once all clicks without a list id are
 * counted.
 */
function stands(
  { rung, model, reference, anchor: { value, stdErr } }: PairEvidence,
  names: readonly ArmNames[],
  values: readonly ValueRow[],
): boolean {
  if (rung !== 'experiment') return false;
  const [own, other] = [model, reference].map((name) => {
    const { lift, stdErr: error } = names.find((each) => each.model === name)!;
    const row = values.find(
      (each) => each.model === name && each.estimator === ON_POLICY.estimator,
    );
    const earned = row?.value ?? Number.NaN;
    return {
      more: earned * lift,
      error: earned * error,
    };
  });
  const whole = value + own.more - other.more;
  const error = Math.hypot(stdErr, own.error, other.error);
  return value * whole > 0 && Math.abs(whole) >= LEAST_Z * error;
}
