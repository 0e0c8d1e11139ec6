import {
  halfWidth,
  isInUse,
  type Measured,
  normalScoreOf,
  preferredSign,
  scoreBars,
} from '../estimators/evidence/anchored-rule.js';
import { boundedVerdict, leastWithMissing } from '../estimators/evidence/bounds.js';
import { metricName } from '../rows/words.js';
import type { Objection, PairEvidence } from './evidence.js';
import type { PairVerdict, Rung, VerdictState } from './verdict.js';

/*
 * From events to the sentence.
 *
 * Requests with the lists of all arms → who was served what, by user (`drawOfArms`: pairs of following
 * requests, served by share) → means by arm and place of the first difference, then errors by user
 * (`armPairs`) → one `PairEvidence` a rung of the ladder; values of challengers, logged propensities and
 * estimates give theirs from the sums that they have → `judge`: the strongest that the log holds is the
 * anchor, weaker ones may contradict it and never replace it → `PairVerdict` → a finding → one sentence
 * (`verdict-words.ts`), which command line, report, page and API show.
 */

/** Errors below it are rounding. */
const NO_ERROR = 1e-12;

/** Where and when was looked. */
export interface Looked {
  readonly from: number;
  readonly to: number;
}

type Concluded = Pick<PairVerdict, 'state' | 'value' | 'stdErr' | 'lower' | 'upper'> & {
  /** 1: the model is better, −1: the reference; 0: nobody knows. */
  readonly sign: -1 | 0 | 1;
  readonly isSharper?: boolean;
};

/**
 * Verdicts on some pairs by one look, each by the strongest evidence that its log holds.
 *
 * @param pairs by pair what is known of it, one entry a rung.
 */
export function judge(pairs: readonly (readonly PairEvidence[])[], look: Looked): PairVerdict[] {
  return pairs
    .filter((evidence) => evidence.length > 0)
    .map((evidence) => judgePair(evidence, pairs.length, look));
}

/** Evidence on the same two models, whichever of them is subtracted: as in the strongest of it. */
export function byPair(evidence: readonly PairEvidence[]): PairEvidence[][] {
  const pairs = new Map<string, PairEvidence[]>();
  const ordered = [...evidence].sort((a, b) => STRENGTH[a.rung] - STRENGTH[b.rung]);
  for (const each of ordered) {
    const name = JSON.stringify([each.model, each.reference].sort());
    const [first] = pairs.get(name) ?? [];
    const own = first === undefined || first.model === each.model ? each : turned(each);
    pairs.set(name, [...(pairs.get(name) ?? []), own]);
  }
  return [...pairs.values()];
}

function turned(evidence: PairEvidence): PairEvidence {
  const { model, reference, anchor, sharper, most, uncorrected } = evidence;
  const minus = (of: Measured): Measured => ({ ...of, value: -of.value });
  return {
    ...{ ...evidence, model: reference, reference: model },
    anchor: minus(most ?? anchor),
    ...(most && { most: minus(anchor) }),
    ...(sharper && { sharper: { form: minus(sharper.form), apart: minus(sharper.apart) } }),
    ...(uncorrected && { uncorrected: minus(uncorrected) }),
  };
}

/** The order of the ladder, whatever order evidence comes in. */
const STRENGTH: Readonly<Record<Rung, number>> = {
  ...{ experiment: 0, propensities: 1, arms: 2, slots: 3 },
  ...{ randomized: 4, metric: 5, observed: 6 },
};

function judgePair(
  evidence: readonly PairEvidence[],
  comparisons: number,
  { from, to }: Looked,
): PairVerdict {
  const ordered = [...evidence].sort((a, b) => STRENGTH[a.rung] - STRENGTH[b.rung]);
  const anchor = anchorOf(ordered);
  const weaker = ordered.slice(ordered.indexOf(anchor) + 1);
  const { model, reference, measure, rung, objection, ess } = anchor;
  const concluded = conclusion(anchor, comparisons);
  const { state, sign, isSharper, ...numbers } = concluded;
  const better = sign === 0 ? null : isBetter(anchor, sign) ? model : reference;
  const gained = anchor.isError ? turnedRound(concluded) : concluded;
  const opposite = weaker.find((other) => isAgainst(other, gained, comparisons));
  const { uncorrected } = anchor;
  const isPlainAgainst =
    uncorrected !== undefined &&
    isAgainst({ ...anchor, anchor: uncorrected, flip: null }, gained, comparisons);
  return {
    ...{ model, reference, ...measure, rule: 'single_look', rung, state, better },
    reason: state === 'none' ? reasonOf(anchor) : null,
    ...{ since: from, at: to, ...numbers, margin: anchor.margin ?? Number.NaN, ess, comparisons },
    ...{ uncorrected: uncorrected?.value ?? Number.NaN, lastDay: Number.NaN },
    saysOpposite: isPlainAgainst || opposite !== undefined,
    ...{ flip: anchor.flip ?? null, forecast: null },
    figures: { ...objection?.figures, ...figuresOf(anchor, isSharper === true) },
    ...(objection?.of !== undefined && { of: objection.of }),
    ...(opposite !== undefined && { against: metricName(opposite.measure) }),
    ...(isPlainAgainst && { against: `uncorrected ${metricName(measure)}` }),
    ...(anchor.isOfUncaused && { isOfUncaused: true as const }),
  };
}

/** Of errors, what the model gains. */
function turnedRound({ sign, value, lower, upper, ...rest }: Concluded): Concluded {
  const turnedSign = sign === 0 ? 0 : sign > 0 ? -1 : 1;
  return { ...rest, sign: turnedSign, value: -value, lower: -upper, upper: -lower };
}

/** What was randomised or logged by chance, broken or not; else the strongest that holds. */
function anchorOf(ordered: readonly PairEvidence[]): PairEvidence {
  const [first] = ordered;
  if (STRENGTH[first.rung] <= STRENGTH.slots) return first;
  return ordered.find(({ objection }) => objection === null) ?? first;
}

function isBetter({ isError = false }: PairEvidence, sign: number): boolean {
  return isError ? sign < 0 : sign > 0;
}

function reasonOf({ objection, anchor }: PairEvidence): Objection['reason'] {
  if (objection !== null) return objection.reason;
  return anchor.value === 0 ? 'no_rewards' : 'one_user';
}

function figuresOf(evidence: PairEvidence, isSharper: boolean): Record<string, number> {
  const { covered, listed, rung, above, repeated } = evidence;
  return {
    ...(covered !== undefined && { covered }),
    ...(listed !== undefined && { listed }),
    ...(rung === 'experiment' && { isSharper: Number(isSharper), isIfChance: 1 }),
    ...(above !== undefined && { above }),
    ...(repeated !== undefined && { repeated }),
  };
}

function conclusion(evidence: PairEvidence, comparisons: number): Concluded {
  const { rung, objection, anchor, isAlike = false, flip, margin = Number.NaN } = evidence;
  const { whole } = scoreBars(comparisons);
  const numbers = within(anchor, whole);
  const said = (state: VerdictState, sign: Concluded['sign'] = 0) => ({ ...numbers, state, sign });
  if (objection !== null) return said('none');
  const hasError = anchor.stdErr >= NO_ERROR;
  if (isAlike || (anchor.stdErr < NO_ERROR && anchor.value === 0 && rung === 'metric'))
    return said('same');
  if (rung === 'arms') return ofBounds(evidence, whole);
  if (!hasError) return said('none');
  const score = normalScoreOf(anchor);
  const sign = Math.abs(score) >= whole ? (Math.sign(score) as Concluded['sign']) : 0;
  switch (rung) {
    // Weights by place are off downwards where users stop, so they never speak against a model.
    case 'slots':
      return sign > 0 ? said('probably', 1) : said('undecided');
    case 'metric':
      return sign !== 0 && !flip ? said('leads', sign) : said('undecided');
    case 'observed':
      return said('no_preference', Math.sign(score) as Concluded['sign']);
    default:
      if (Math.max(-numbers.lower, numbers.upper) < margin) return said('immaterial');
      return anchored(evidence, comparisons);
  }
}

/** By the anchor and, where it is in use, a sharper form of it. */
function anchored({ anchor, sharper }: PairEvidence, comparisons: number): Concluded {
  const { whole } = scoreBars(comparisons);
  const other = sharper && {
    score: normalScoreOf(sharper.form),
    apart: scoreOfApart(sharper.apart),
    varianceRatio: (sharper.form.stdErr / anchor.stdErr) ** 2,
  };
  const { sign, shown } = preferredSign(normalScoreOf(anchor), other, comparisons);
  const isSharper = other !== undefined && isInUse(other) && shown === 'sharper';
  const numbers = within(isSharper ? sharper!.form : anchor, whole);
  return { ...numbers, sign, isSharper, state: sign === 0 ? 'undecided' : 'prefer' };
}

/** Without an error the two forms are the same. */
function scoreOfApart({ value, stdErr }: Measured): number {
  return stdErr > 0 ? value / stdErr : 0;
}

function ofBounds(evidence: PairEvidence, score: number): Concluded {
  const { anchor, most = anchor, listed = 1, lost = 0 } = evidence;
  const found = boundedVerdict({ least: anchor, most }, score);
  const { upper } = found;
  const lower = lost > 0 ? leastWithMissing(1 - listed, found.lower, lost) : found.lower;
  // What is lost may have been worth as much as is known, and more.
  const isKnown = lost === 0 || (found.answer === 'better' && lower > 0);
  const answer = isKnown ? found.answer : 'unknown';
  const numbers = { ...within(anchor, score), lower, upper };
  if (Number.isNaN(lower)) return { ...numbers, state: 'none', sign: 0 };
  if (answer === 'better') return { ...numbers, state: 'probably', sign: 1 };
  if (answer === 'worse') return { ...numbers, value: most.value, state: 'probably_not', sign: -1 };
  return { ...numbers, state: most.value > anchor.value ? 'unknown' : 'undecided', sign: 0 };
}

function within(form: Measured, score: number) {
  const half = halfWidth(form, score);
  const { value, stdErr } = form;
  return { value, stdErr, lower: value - half, upper: value + half };
}

/** Whether weaker evidence is clear and says the opposite; what was served without chance says nothing. */
function isAgainst(
  { rung, objection, anchor, most, flip, isError = false }: PairEvidence,
  { sign, value, stdErr, lower, upper }: Concluded,
  comparisons: number,
): boolean {
  if (objection !== null || rung === 'observed' || flip) return false;
  const isClear = sign !== 0 || lower > 0 || upper < 0;
  const said = sign === 0 ? Math.sign(value) : sign;
  if (!isClear || !(stdErr > 0) || most !== undefined) return false;
  const score = (isError ? -1 : 1) * normalScoreOf(anchor);
  return Math.abs(score) >= scoreBars(comparisons).whole && Math.sign(score) === -said;
}
