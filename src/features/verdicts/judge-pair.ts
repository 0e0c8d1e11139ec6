import { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';
import type { Objection } from '../evidence.js';
import type { PairVerdict, Rung } from '../verdict.js';
import { gammaFlip } from './gamma-flip.js';
import { ALPHA, anytimeHalfWidth, isDifferent } from './mixture-evidence.js';
import type { PairedDifference } from './paired-difference.js';

/** So many errors apart a day is not like the time before it. */
const APART = 3.4;
/** A day that is nearly all of the time cannot differ from it. */
const ERROR_RATIO = 1.1;

/**
 * Whether the last day contradicts what holds since the start.
 *
 * D₂₄ of the other sign, or |D − D₂₄| / √(se₂₄² − se²) > 3.4; the latter only if se₂₄ > 1.1 se, since
 * the day is a part of the whole and their difference has the variance se₂₄² − se².
 * Source: Hausman 1978 (variance of the difference to an efficient estimate).
 *
 * @example
 * isVetoed({ value: 0.1, stdErr: 0.01 }, { value: -0.02, stdErr: 0.03 }); // true
 */
export function isVetoed(
  since: Pick<PairedDifference, 'value' | 'stdErr'>,
  lastDay: Pick<PairedDifference, 'value' | 'stdErr'>,
): boolean {
  if (since.value * lastDay.value < 0) return true;
  if (!(lastDay.stdErr > ERROR_RATIO * since.stdErr)) return false;
  const error = Math.sqrt(lastDay.stdErr ** 2 - since.stdErr ** 2);
  return Math.abs(since.value - lastDay.value) > APART * error;
}

/** What a pair keeps from look to look: frozen after its first day, for as long as it is an epoch. */
export interface PairMemory {
  /** φ at each γ: twice the error of the first day. */
  readonly spreads: readonly number[];
  /** δ */
  readonly margin: number;
  /** The sign of the difference that stands; 0 for none. */
  readonly standing: -1 | 0 | 1;
}

/** What is known of a pair at a look. */
export interface PairLook {
  readonly model: string;
  readonly reference: string;
  /** Values of γ, ascending; the middle one is the estimate. */
  readonly gammas: readonly number[];
  /** Since the start of the epoch, by γ. */
  readonly since: readonly PairedDifference[];
  /** Over whole days up to now, by γ; undefined before one is over. */
  readonly wholeDays: readonly PairedDifference[] | undefined;
  /** Of the last day, at the estimated γ. */
  readonly lastDay: PairedDifference | undefined;
  /** Without correction. */
  readonly uncorrected: PairedDifference;
  /** What the sums are of. */
  readonly rung: Rung;
  /** What forbids a verdict whatever the sums say. */
  readonly objection: Objection | null;
  /** K: how many differences are judged together. */
  readonly comparisons: number;
  /** δ as a share of the reference's value. */
  readonly marginShare: number;
}

export interface JudgedPair {
  readonly verdict: Omit<PairVerdict, 'metric' | 'k' | 'rule' | 'since' | 'at' | 'forecast'>;
  /** Undefined before the first day is over. */
  readonly memory: PairMemory | undefined;
}

/** Errors below it are rounding. */
const NO_ERROR = 1e-12;
const Z = 1.96;

/**
 * The verdict on a pair at one look, out of what was said at the looks before.
 *
 * In this order: no verdict; same lists (se < 1e-12 and D = 0); no difference that matters
 * ([D − h, D + h] within ± δ); prefer (Λ ≥ K/α since the start and over whole days, at every γ, with one
 * sign), which stands until |D| ≤ 1.96 se; the same contradicted by the last day; not known yet.
 * Source: mixture SPRT, see `logEvidence`. O(1).
 *
 * @param look at least one γ; of several the one in the middle is shown.
 * @param before what the look before left.
 * @example
 * const none = { value: 0, stdErr: 0, ess: 90, groups: 90, own: 0.1, other: 0.1 };
 * const look = { model: 'a', reference: 'b', gammas: [1], since: [none], wholeDays: [none],
 *   lastDay: none, uncorrected: none, rung: 'metric', objection: null, comparisons: 1,
 *   marginShare: 0.05 };
 * judgePair(look, undefined).verdict.state; // 'same'
 */
export function judgePair(look: PairLook, before: PairMemory | undefined): JudgedPair {
  const { since, wholeDays, model, reference } = look;
  const shown = since[middle(since)];
  const memory = before ?? (wholeDays === undefined ? undefined : frozen(look));
  const bar = look.comparisons / ALPHA;
  const half =
    memory === undefined ? Number.NaN : anytimeHalfWidth(shown, memory.spreads[middle(since)], bar);
  const { value, stdErr, ess } = shown;
  const known = {
    ...{ model, reference, value, stdErr, ess, comparisons: look.comparisons, rung: look.rung },
    ...{ lower: value - half, upper: value + half, margin: memory?.margin ?? Number.NaN },
    uncorrected: look.uncorrected.value,
    saysOpposite: isOpposite(shown, look.uncorrected),
    lastDay: look.lastDay?.value ?? Number.NaN,
  };
  const said = (state: PairVerdict['state'], standing: PairMemory['standing'] = 0): JudgedPair => ({
    verdict: {
      ...{ ...known, state, reason: null, flip: null },
      better: standing === 0 ? null : standing > 0 ? model : reference,
    },
    memory: memory && { ...memory, standing },
  });
  const objection = look.objection ?? whyNone(look, shown);
  if (objection !== null) {
    const { verdict } = said('none');
    return { verdict: { ...verdict, ...objection }, memory: before };
  }
  if (stdErr < NO_ERROR && Math.abs(value) < NO_ERROR) return said('same');
  if (memory === undefined) return said('undecided');
  if (Math.abs(value) + half < memory.margin) return said('immaterial');
  const standing = standingSign(look, memory, bar);
  if (standing === 0) {
    const { verdict, memory: kept } = said('undecided');
    return { verdict: { ...verdict, flip: flipOf(look, memory, bar) }, memory: kept };
  }
  const isContradicted = look.lastDay !== undefined && isVetoed(shown, look.lastDay);
  // A corrected metric rests on nothing that chance decided: it leads, and decides nothing.
  return said(isContradicted ? 'changed' : look.rung === 'metric' ? 'leads' : 'prefer', standing);
}

function middle(of: readonly unknown[]): number {
  return (of.length - 1) >> 1;
}

function whyNone({ wholeDays, lastDay }: PairLook, { ess }: PairedDifference): Objection | null {
  const because = (reason: Objection['reason']) => ({ reason, figures: {} });
  if (wholeDays === undefined) return because('young');
  if (lastDay !== undefined && Number.isNaN(lastDay.value)) return because('stale');
  return ess >= FEW_USERS ? null : { reason: 'few_users', figures: { users: ess } };
}

/** Nothing is frozen while both models gain the same: there is no error to go by. */
function frozen({ since, marginShare }: PairLook): PairMemory | undefined {
  if (since.some(({ stdErr }) => !(stdErr >= NO_ERROR))) return undefined;
  const { other } = since[middle(since)];
  return {
    spreads: since.map(({ stdErr }) => 2 * stdErr),
    ...{ margin: marginShare * Math.abs(other), standing: 0 },
  };
}

/** Enters by the evidence; leaves when the difference is no longer clear of 0. */
function standingSign(look: PairLook, memory: PairMemory, bar: number): PairMemory['standing'] {
  const { value, stdErr } = look.since[middle(look.since)];
  const isClear = Math.abs(value) > Z * stdErr;
  if (memory.standing !== 0 && isClear && Math.sign(value) === memory.standing) {
    return memory.standing;
  }
  const both = [...look.since, ...(look.wholeDays ?? [])];
  const sign = Math.sign(value) as PairMemory['standing'];
  const isProved = both.every(
    (each, p) =>
      Math.sign(each.value) === sign &&
      isDifferent(each, memory.spreads[p % memory.spreads.length], bar),
  );
  return isProved ? sign : 0;
}

function isOpposite(shown: PairedDifference, uncorrected: PairedDifference): boolean {
  const isClear = Math.abs(uncorrected.value) > Z * uncorrected.stdErr;
  return isClear && shown.value * uncorrected.value < 0;
}

/** Where one γ proves the one better, and another has the other ahead. */
function flipOf(look: PairLook, { spreads }: PairMemory, bar: number): PairVerdict['flip'] {
  const { since, gammas, model, reference } = look;
  const gamma = gammaFlip(since.map(({ value }, p) => ({ gamma: gammas[p], value })));
  if (gamma === undefined || !since.some((each, p) => isDifferent(each, spreads[p], bar))) {
    return null;
  }
  return { gamma, winsBelow: since[0].value > 0 ? model : reference };
}
