import { NO_REASONS } from '../../rows/reading.js';
import type { Reason } from '../../rows/row.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import { RANDOMISED } from '../names.js';
import type { EstimateDifference, EstimateRow } from '../results/estimate.js';
import type { FeedbackReport } from '../results/window-estimates.js';
import { causeByArms, servedRows } from './cause-by-arms.js';
import { areNamesMissing, combinedShares, NO_ARMS } from './unnamed-share.js';
import {
  type CausedShares,
  DOUBTFUL,
  type EstimatedShares,
  GIVEN_AGAIN_BELOW,
  verdictOn,
  WITHHELD_ABOVE,
  type WithheldReason,
} from './verdict.js';

const OWN_RANDOM_LISTS: WithheldReason = 'own_random_lists';

/** Estimates and differences of a window after the verdicts. */
export interface Judged {
  readonly results: readonly EstimateRow[];
  readonly differences: readonly EstimateDifference[];
}

/**
 * Judge every estimate by its share of interactions driven by recommendations, and every difference
 * by the two estimates that it compares. The numbers of a withheld row become NaN, and the row gets
 * the reason. In the mode `caution` the numbers stay, and the reason is a caution.
 *
 * Rows are changed in place, since copying them takes longer than the verdicts.
 *
 * @param results with their shares. @param before names of the estimates that were withheld at the
 * last tick, see `nameOf`.
 */
export function withhold(
  results: readonly EstimateRow[],
  differences: readonly EstimateDifference[],
  report: Pick<FeedbackReport, 'mode'> & KnownCause,
  before: ReadonlySet<string>,
): Judged {
  /** By name of an estimate: the reason against it. */
  const objections = new Map<string, Reason>();
  for (const row of results as Changed<EstimateRow>[]) {
    const wasWithheld = before.size > 0 && before.has(nameOf(row));
    const { shares } = row;
    // The field was added last, so deleting it does not slow down reads of the row.
    delete row.shares;
    if (shares === undefined) continue;
    const reason =
      row.estimator === RANDOMISED
        ? judgeRandomised(row, shares, report.mode, wasWithheld)
        : judge(row, sharesOf(shares, report), report.mode, wasWithheld);
    if (reason !== null) {
      objections.set(nameOf(row), reason);
    }
  }
  for (const row of objections.size === 0 ? [] : (differences as Changed<EstimateDifference>[])) {
    const found = [row.model, row.reference].flatMap((model) => {
      return objections.get(nameOf(row, model)) ?? [];
    });
    const reason = found.find(isWithholding) ?? found[0];
    if (reason === undefined) continue;
    objectTo(row, reason);
  }
  return { results, differences };
}

/**
 * Set the reason of an estimate or a difference. If the reason withholds it, set its numbers to
 * NaN.
 */
export function objectTo(row: EstimateRow | EstimateDifference, reason: Reason): void {
  const changed = row as Changed<EstimateRow> | Changed<EstimateDifference>;
  changed.reasons = [reason];
  if (!isWithholding(reason)) return;
  Object.assign(changed, UNKNOWN, { status: 'withheld' });
  if (!('sums' in changed)) {
    changed.more = { gammaStdErr: Number.NaN };
    return;
  }
  const { samplingStdErr: _, ...more } = changed.more;
  const none = {
    gammaSlope: Number.NaN,
    gammaStdErr: Number.NaN,
    other: Number.NaN,
  };
  changed.more = {
    ...more,
    ...none,
  };
  changed.sums = {
    numerator: Number.NaN,
    denominator: Number.NaN,
  };
  changed.guarantees = NO_REASONS;
}

type Changed<T> = { -readonly [Field in keyof T]: T[Field] };

function isWithholding({ consequence }: Reason): boolean {
  return consequence === 'withheld';
}

/** Names of withheld estimates, by window. */
export type WithheldNames = Readonly<Record<string, readonly string[]>>;

/**
 * Name that identifies an estimate within its window. @param of model of the estimate, by default
 * that of the row.
 */
export function nameOf({ model, metric, k, estimator, form }: Named, of: string = model): string {
  return JSON.stringify([of, metric, k, estimator, form]);
}

type Named = Pick<EstimateRow, 'model' | 'metric' | 'k' | 'estimator' | 'form'>;

const UNKNOWN = {
  value: Number.NaN,
  stdErr: Number.NaN,
  lower: Number.NaN,
  upper: Number.NaN,
};

/** Judge an estimate and change its row accordingly; return the reason against it, or null. */
function judge(
  row: Changed<EstimateRow>,
  shares: EstimatedShares,
  mode: FeedbackReport['mode'],
  wasWithheld: boolean,
): Reason | null {
  const { withheld, isDoubtful } = verdictOn(shares, row.value, row.stdErr, wasWithheld);
  const { caused, own, other } = shares;
  row.more = Object.assign(row.more, {
    caused,
    own,
    other,
  });
  if (withheld === null && !isDoubtful) return null;
  const isWithheld = withheld !== null && mode !== 'caution';
  const consequence = isWithheld ? 'withheld' : 'caution';
  const reason: Reason = {
    code: withheld ?? DOUBTFUL,
    consequence,
    figures: {
      caused,
      own,
      other,
    },
  };
  objectTo(row, reason);
  return reason;
}

/**
 * Judge an estimate from randomised traffic. No policy chose these lists, so lists of other models
 * do not distort it. But all clicks on the random lists that the model itself served are on its own
 * items, so its recall at the length of these lists is 1 by construction.
 */
function judgeRandomised(
  row: Changed<EstimateRow>,
  { own, other }: CausedShares,
  mode: FeedbackReport['mode'],
  wasWithheld: boolean,
): Reason | null {
  const limit = wasWithheld ? GIVEN_AGAIN_BELOW : WITHHELD_ABOVE;
  if (!(own > limit)) return null;
  const reason: Reason = {
    code: OWN_RANDOM_LISTS,
    consequence: mode === 'caution' ? 'caution' : 'withheld',
    figures: {
      caused: own,
      own,
      other,
    },
  };
  objectTo(row, reason);
  return reason;
}

type KnownCause = Pick<WindowCause, 'source' | 'named' | 'arms'>;

/**
 * Choose the shares of an estimate's weight on caused rows, by what is known about causes. If list
 * ids are complete, the shares found from list ids are used. Otherwise `caused` also includes the
 * estimated share of caused rows without a list id; without such an estimate it is NaN. Without any
 * list ids, `own` and `other` are NaN.
 */
function sharesOf(found: CausedShares, { source, named, arms }: KnownCause): EstimatedShares {
  if (source === 'named') return found;
  const isUnnamed = !(named > 0);
  const known = isUnnamed
    ? {
        own: Number.NaN,
        other: Number.NaN,
        hasOthers: true,
      }
    : found;
  if (arms === null) {
    return {
      ...known,
      caused: Number.NaN,
    };
  }
  return {
    ...known,
    ...combinedShares(isUnnamed ? 0 : found.caused, arms),
  };
}

/** What caused the positive rows of a window, as far as it is known. */
type WindowCause = Omit<FeedbackReport, 'mode' | 'uncaused'>;

/**
 * Determine the share of positive rows that lists caused, from one of three sources. `named`: the
 * share with a list id, if interactions give list ids and the served lists do not show further
 * caused rows. Otherwise `arms`: κ̂ from which lists were served, if there are two arms. Otherwise
 * the share is unknown. O(rows · models).
 *
 * κ̂ refers to the rows without a list id. If it significantly exceeds 0.02, list ids are
 * incomplete. With `arms`, the share is named + (1 − named) · max(0, κ̂).
 *
 * @param part organic rows, each with its cause.
 * @returns shares of rows, each counted once; NaN if there are no rows or the share is unknown
 */
export function windowCause(part: WindowPart, models: readonly string[]): WindowCause {
  const { named, depths } = servedRows(part, models.length);
  const served = models.filter((_, m) => depths[m] > 0);
  const arms = causeByArms(part, models, depths);
  const found = {
    named,
    arms,
    served,
  };
  const { caused, least, most } = combinedShares(named, arms ?? NO_ARMS);
  if (named > 0 && !areNamesMissing(arms)) {
    return {
      ...found,
      source: 'named',
      caused: named,
      lower: named,
      upper: most,
    };
  }
  if (arms !== null) {
    return {
      ...found,
      source: 'arms',
      caused,
      lower: least,
      upper: most,
    };
  }
  const unknown = Number.NaN;
  return {
    ...found,
    source: 'unknown',
    caused: unknown,
    lower: unknown,
    upper: unknown,
  };
}
