import { ON_POLICY } from '../../estimators/names.js';
import { NumberSums } from '../../estimators/partitions/number-sums.js';
import type { Rounds } from '../../estimators/partitions/rounds.js';
import { UNCAUSED } from '../../state/panes/row-causes.js';
import {
  LIST_SAMPLED_FULL,
  NOT_IN_LIST,
  UNRANKED,
  type WindowPart,
} from '../../state/panes/window-part.js';
import type { Objection, PairEvidence } from '../evidence.js';
import type { ValueRow } from './value-row.js';

/** What of the clicks that an arm's lists led to does not name them. */
interface ArmNames {
  readonly model: string;
  /** Those without a name, beside one with a name; Infinity where none has one. */
  readonly lift: number;
  readonly stdErr: number;
}

/** By arm: named; then, of rows that name no list, those of its items while it was served and while another was, with ΣS², ΣSH and ΣH² over users. */
const BY_ARM = 6;
/** |z| that chance alone does not make. */
const MOST_Z = 3.5;
/** What values of models that nobody is shown may be off by. */
const LEAST_APART = 0.1;
/** z° of a difference that is to stand. */
const LEAST_Z = 1.645;

/**
 * How many of the clicks that the lists of each arm led to name no list.
 *
 *   C_a = S_a − r_a H_a,   lift = C_a / named_a,   r_a = N_a / (N − N_a)
 *
 * S and H of the clicks without a name on items of the arm's list, while it was the last one that the user
 * was served and while another arm's was; N requests. What users find by themselves adds to both alike,
 * since chance drew the arm. Errors by user. Bias: towards 0 where arms show the same items.
 *
 * @param requests by arm, those that it served. @param rounds bring all partitions together: one round.
 */
export function* namesOfArms(
  parts: readonly WindowPart[],
  models: readonly string[],
  requests: ReadonlyMap<string, number>,
  rounds: Rounds,
): Generator<void, ArmNames[]> {
  const arms = models.flatMap((model, column) => (requests.has(model) ? [column] : []));
  const none = new NumberSums(BY_ARM * arms.length);
  const { values } = yield* rounds.gather(none, parts, function* add(own, part) {
    for (const [n] of arms.entries()) {
      addClicks(part, arms, n, own.values.subarray(BY_ARM * n, BY_ARM * (n + 1)));
      yield;
    }
  });
  const all = [...requests.values()].reduce((sum, own) => sum + own, 0);
  return arms.flatMap((column, n) => {
    const [named, shown, hidden, ofShown, ofBoth, ofHidden] = values.subarray(BY_ARM * n);
    const model = models[column];
    const ratio = requests.get(model)! / (all - requests.get(model)!);
    const squares = ofShown - 2 * ratio * ofBoth + ratio * ratio * ofHidden;
    const unnamed = shown - ratio * hidden;
    const stdErr = Math.sqrt(Math.max(0, squares));
    if (named > 0) return { model, lift: unnamed / named, stdErr: stdErr / named };
    return unnamed > MOST_Z * stdErr ? { model, lift: Number.POSITIVE_INFINITY, stdErr: 0 } : [];
  });
}

function addClicks(
  { users, userStart, positive, causes, ranks, lists }: WindowPart,
  arms: readonly number[],
  n: number,
  into: Float64Array,
): void {
  if (causes === undefined) return;
  const column = arms[n];
  for (let u = 0; u < users; u++) {
    let shown = 0;
    let hidden = 0;
    for (let r = userStart[u]; r < userStart[u + 1]; r++) {
      if (positive[r] === 0) continue;
      if (causes.cause[r] === column + 1) into[0]++;
      const served = causes.served[r] - 1;
      if (causes.cause[r] !== UNCAUSED || !arms.includes(served)) continue;
      const rank = ranks[column][r];
      if (rank === UNRANKED || rank === NOT_IN_LIST) continue;
      if ((lists[column][r] & LIST_SAMPLED_FULL) === LIST_SAMPLED_FULL) continue;
      if (served === column) shown++;
      else hidden++;
    }
    into[1] += shown;
    into[2] += hidden;
    into[3] += shown * shown;
    into[4] += shown * hidden;
    into[5] += hidden * hidden;
  }
}

/** Reasons that may follow from names that are missing. */
const FOLLOWS: ReadonlySet<string> = new Set([
  'arm_off',
  'arms_disagree',
  'lists_follow_arm',
  'few_rewards',
  'no_rewards',
]);

/** Evidence of arms, held back where clicks of one name its lists less often than those of another. */
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
    return { ...pair, objection: gap };
  });
}

/** The arms that are furthest apart, where chance alone does not make it. */
function gapIn(names: readonly ArmNames[], least: number): Objection | undefined {
  const [low, ...others] = [...names].sort((a, b) => a.lift - b.lift);
  const high = others.at(-1);
  if (high === undefined) return undefined;
  const apart = high.lift - low.lift;
  if (!(apart > least && apart > MOST_Z * Math.hypot(high.stdErr, low.stdErr))) return undefined;
  const [missing, other] = [high, low].map(({ lift }) =>
    lift === Number.POSITIVE_INFINITY ? 1 : Math.max(0, lift / (1 + lift)),
  );
  return { reason: 'names_differ', figures: { missing, other }, of: [high.model, low.model] };
}

/** Whether a difference is clear of the other sign with all that names no list counted in. */
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
    return { more: earned * lift, error: earned * error };
  });
  const whole = value + own.more - other.more;
  const error = Math.hypot(stdErr, own.error, other.error);
  return value * whole > 0 && Math.abs(whole) >= LEAST_Z * error;
}
