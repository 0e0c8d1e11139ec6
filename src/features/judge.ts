import {
  halfWidth,
  isInUse,
  type Measured,
  normalScoreOf,
  preferredSign,
  scoreBars,
} from '../estimators/evidence/anchored-rule.js';
import {
  boundedVerdict,
  leastWithMissing,
  withUnpredicted,
} from '../estimators/evidence/bounds.js';
import { metricName } from '../rows/words.js';
import type { Objection, PairEvidence } from './evidence.js';
import type { PairVerdict, Rung, VerdictState } from './verdict.js';

/*
 * How a verdict is computed, from events to the sentence.
 *
 * 1. `drawOfArms` finds who was served which arm, by user, from requests with the lists of all
 *    arms. It uses pairs of consecutive requests and the shares served.
 * 2. `armPairs` computes means by arm and position of the first difference, with errors by user.
 * 3. Each kind of evidence (rung) gives one `PairEvidence` per pair of models. Rewards of
 *    challengers, logged propensities and estimates use the sums that they already have.
 * 4. `judge` decides by the strongest evidence in the log, the anchor. Weaker evidence may
 *    contradict the anchor and never replaces it. The result is a `PairVerdict`.
 * 5. A verdict becomes a finding and then one sentence (`verdict-words.ts`), which command line,
 *    report, page and API show.
 *
 * Repeated evaluation (`judgeModels`) works the same way, with φ in each `Measured`, which makes
 * thresholds and intervals anytime-valid.
 */

/** Differences and standard errors smaller than this count as rounding. */
export const NO_ERROR = 1e-12;
/**
 * A reported sign remains while the difference is more than this number of standard errors away
 * from 0.
 */
const CLEAR = 1.96;
/**
 * Number of standard errors by which the last day must differ from the time since the start to
 * contradict it.
 */
const APART = 3.4;
/**
 * Least ratio of the last day's standard error to that of the time since the start, for the
 * comparison by `APART`. Below this ratio, the last day is nearly the whole time.
 */
const ERROR_RATIO = 1.1;

/** Start and end of the evaluated period, event time, ms. */
export interface Looked {
  readonly from: number;
  readonly to: number;
}

type Concluded = Pick<PairVerdict, 'state' | 'value' | 'stdErr' | 'lower' | 'upper'> & {
  /** 1 if the model is better, −1 if the reference is, 0 if unknown. */
  readonly sign: -1 | 0 | 1;
  readonly isSharper?: boolean;
};

/**
 * Judge pairs of models at one time, each by the strongest valid evidence.
 *
 * @param pairs evidence by pair, one entry per kind.
 */
export function judge(pairs: readonly (readonly PairEvidence[])[], look: Looked): PairVerdict[] {
  return pairs
    .filter((evidence) => evidence.length > 0)
    .map((evidence) => judgePair(evidence, pairs.length, look));
}

/**
 * Group evidence by pair of models. Within a pair, every difference gets the direction of the
 * strongest evidence: the same model minus the same reference.
 */
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
  const { model, reference, anchor, sharper, most, uncorrected, unpredicted, segments } = evidence;
  const minus = (of: Measured): Measured => ({
    ...of,
    value: -of.value,
  });
  return {
    ...evidence,
    model: reference,
    reference: model,
    anchor: minus(most ?? anchor),
    ...(most && { most: minus(anchor) }),
    ...(sharper && {
      sharper: {
        form: minus(sharper.form),
        apart: minus(sharper.apart),
      },
    }),
    ...(uncorrected && { uncorrected: minus(uncorrected) }),
    ...(segments && {
      segments: segments.map((each) => ({
        ...each,
        anchor: minus(each.anchor),
      })),
    }),
    ...(unpredicted && {
      unpredicted: {
        ...unpredicted,
        least: -unpredicted.most,
        most: -unpredicted.least,
      },
    }),
  };
}

/** Kinds of evidence by strength; 0 is the strongest. */
const STRENGTH: Readonly<Record<Rung, number>> = {
  experiment: 0,
  propensities: 1,
  arms: 2,
  slots: 3,
  randomized: 4,
  metric: 5,
  observed: 6,
};

/** Judge one of `comparisons` pairs of models by all evidence on it. */
export function judgePair(
  evidence: readonly PairEvidence[],
  comparisons: number,
  { from, to }: Looked,
): PairVerdict {
  const ordered = [...evidence].sort((a, b) => STRENGTH[a.rung] - STRENGTH[b.rung]);
  const anchor = anchorOf(ordered);
  const weaker = ordered.slice(ordered.indexOf(anchor) + 1);
  const { model, reference, measure, rung, objection, ess, watched } = anchor;
  const concluded = conclusion(anchor, comparisons);
  const { state, sign, isSharper, ...numbers } = concluded;
  // Without randomisation, a higher reward does not make a model the better one.
  const isKnown = sign !== 0 && rung !== 'observed';
  const better = isKnown ? (isBetter(anchor, sign) ? model : reference) : null;
  const gained = anchor.isError ? turnedRound(concluded) : concluded;
  const opposite = weaker.find((other) => isAgainst(other, gained, comparisons));
  const { uncorrected } = anchor;
  const except = state === 'prefer' ? turnedSegments(anchor, sign) : [];
  const names = state === 'none' ? objection?.of : except.length > 0 ? except : undefined;
  const isPlainAgainst =
    uncorrected !== undefined &&
    isAgainst(
      {
        ...anchor,
        anchor: uncorrected,
        flip: null,
      },
      gained,
      comparisons,
    );
  return {
    model,
    reference,
    ...measure,
    rung,
    state,
    better,
    rule: watched === undefined ? 'single_look' : 'sequence',
    reason: state === 'none' ? reasonOf(anchor) : null,
    since: from,
    at: to,
    ...numbers,
    margin: anchor.margin ?? Number.NaN,
    ess,
    comparisons,
    uncorrected: uncorrected?.value ?? Number.NaN,
    lastDay: watched?.lastDay?.value ?? Number.NaN,
    saysOpposite: isPlainAgainst || opposite !== undefined,
    flip: state === 'undecided' ? (anchor.flip ?? null) : null,
    forecast: null,
    figures: {
      ...objection?.figures,
      ...figuresOf(anchor, isSharper === true),
    },
    ...(names !== undefined && { of: names }),
    ...(opposite !== undefined && { against: metricName(opposite.measure) }),
    ...(isPlainAgainst && { against: `uncorrected ${metricName(measure)}` }),
    ...(anchor.isOfUncaused && { isOfUncaused: true as const }),
  };
}

/**
 * Segments in which the model that is not preferred is significantly better, as dimension and value
 * alternately. A segment's difference is significant if its one-sided score exceeds Φ⁻¹(1 − .025 /
 * S), with S segments.
 */
function turnedSegments({ segments = [] }: PairEvidence, sign: number): readonly string[] {
  const { whole } = scoreBars(Math.max(1, segments.length));
  const isTurned = ({ anchor }: (typeof segments)[number]) => sign * normalScoreOf(anchor) < -whole;
  return segments.filter(isTurned).flatMap(({ of }) => of);
}

/** Reverse the sign of a difference in errors, so that positive means better. */
function turnedRound({ sign, value, lower, upper, ...rest }: Concluded): Concluded {
  const turnedSign = sign === 0 ? 0 : sign > 0 ? -1 : 1;
  return {
    ...rest,
    sign: turnedSign,
    value: -value,
    lower: -upper,
    upper: -lower,
  };
}

/**
 * The evidence that decides the verdict. If the strongest evidence is an experiment, propensities,
 * arms or slots, it decides even if it is not valid. Otherwise the strongest valid evidence
 * decides.
 */
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
  const { covered, listed, rung, above, repeated, unpredicted } = evidence;
  return {
    ...(covered !== undefined && { covered }),
    ...(listed !== undefined && { listed }),
    ...(rung === 'experiment' && {
      isSharper: Number(isSharper),
      isIfChance: 1,
    }),
    ...(rung === 'randomized' && isSharper && { isSharper: 1 }),
    ...(above !== undefined && { above }),
    ...(repeated !== undefined && { repeated }),
    ...(unpredicted && { common: 1 - unpredicted.share }),
  };
}

function conclusion(evidence: PairEvidence, comparisons: number): Concluded {
  const { rung, objection, anchor, isAlike = false, flip, margin = Number.NaN, watched } = evidence;
  const numbers = within(anchor, comparisons);
  const said = (state: VerdictState, sign: Concluded['sign'] = 0) => ({
    ...numbers,
    state,
    sign,
  });
  if (objection !== null) return said('none');
  const hasError = anchor.stdErr >= NO_ERROR;
  const isZero = anchor.stdErr < NO_ERROR && Math.abs(anchor.value) < NO_ERROR;
  if (isAlike || (isZero && rung === 'metric')) return said('same');
  if (rung === 'arms') return ofBounds(evidence, comparisons);
  if (!hasError) return said('none');
  if (Math.max(-numbers.lower, numbers.upper) < margin) return said('immaterial');
  if (evidence.unpredicted !== undefined) return ofCommonPairs(evidence, comparisons);
  const { sign, shown, isSharper } = preferredSign(evidence, comparisons);
  switch (rung) {
    // Weights by position are biased downwards if users stop early, so they never count against a
    // model.
    case 'slots':
      return sign > 0 ? said('probably', 1) : said('undecided');
    case 'observed':
      return said('no_preference', Math.sign(anchor.value) as Concluded['sign']);
    default: {
      const known = {
        ...within(shown, comparisons),
        isSharper,
      };
      const stands =
        watched === undefined ? (flip ? 0 : sign) : standingSign(evidence, comparisons);
      if (stands === 0) {
        return {
          ...known,
          state: 'undecided',
          sign: 0,
        };
      }
      const isContradicted = watched?.lastDay && isVetoed(anchor, watched.lastDay);
      // A corrected metric does not rest on randomised assignment: its model leads, and nothing is
      // decided.
      const state = isContradicted ? 'changed' : rung === 'metric' ? 'leads' : 'prefer';
      return {
        ...known,
        state,
        sign: stands,
      };
    }
  }
}

/** Conclude from the rated pairs that both models predicted, with bounds for all other pairs. */
function ofCommonPairs({ anchor, unpredicted }: PairEvidence, comparisons: number): Concluded {
  const { lower, upper } = withUnpredicted(anchor, unpredicted!, scoreBars(comparisons).whole);
  const sign = lower > 0 ? 1 : upper < 0 ? -1 : 0;
  const { value, stdErr } = anchor;
  return {
    value,
    stdErr,
    lower,
    upper,
    sign,
    state: sign === 0 ? 'undecided' : 'leads',
  };
}

/**
 * Sign of the difference of a pair that is evaluated repeatedly. A sign is reported once all forms
 * of the difference agree on it. It remains while the difference is more than `CLEAR` standard
 * errors away from 0.
 */
function standingSign(evidence: PairEvidence, comparisons: number): Concluded['sign'] {
  const { anchor, sharper, watched } = evidence;
  const { also, standing } = watched!;
  const used = isInUse(evidence) ? [anchor, sharper!.form] : [anchor];
  if (standing !== 0 && used.every(({ value, stdErr }) => standing * value > CLEAR * stdErr)) {
    return standing;
  }
  const { sign } = preferredSign(evidence, comparisons);
  return also.every((each) => preferredSign(each, comparisons).sign === sign) ? sign : 0;
}

/**
 * Whether the last day contradicts the difference D since the start.
 *
 * The last day's difference D₂₄ has the other sign, or |D − D₂₄| / √(se₂₄² − se²) > 3.4. The second
 * condition applies only if se₂₄ > 1.1 se. Since the day is a part of the whole time, D − D₂₄ has
 * the variance se₂₄² − se². Source: Hausman 1978 (variance of the difference to an efficient
 * estimate).
 *
 * @example
 * isVetoed({ value: 0.1, stdErr: 0.01 }, { value: -0.02, stdErr: 0.03 }); // true
 */
export function isVetoed(
  since: Pick<Measured, 'value' | 'stdErr'>,
  lastDay: Pick<Measured, 'value' | 'stdErr'>,
): boolean {
  if (since.value * lastDay.value < 0) return true;
  if (!(lastDay.stdErr > ERROR_RATIO * since.stdErr)) return false;
  const error = Math.sqrt(lastDay.stdErr ** 2 - since.stdErr ** 2);
  return Math.abs(since.value - lastDay.value) > APART * error;
}

function ofBounds(evidence: PairEvidence, comparisons: number): Concluded {
  const { whole: score } = scoreBars(comparisons);
  const { anchor, most = anchor, listed = 1, lost = 0 } = evidence;
  const found = boundedVerdict(
    {
      least: anchor,
      most,
    },
    score,
  );
  const { upper } = found;
  const lower = lost > 0 ? leastWithMissing(1 - listed, found.lower, lost) : found.lower;
  // The rewards of requests without lists of both models may outweigh the measured difference.
  const isKnown = lost === 0 || (found.answer === 'better' && lower > 0);
  const answer = isKnown ? found.answer : 'unknown';
  const numbers = {
    ...within(anchor, comparisons),
    lower,
    upper,
  };
  if (Number.isNaN(lower)) {
    return {
      ...numbers,
      state: 'none',
      sign: 0,
    };
  }
  if (answer === 'better') {
    return {
      ...numbers,
      state: 'probably',
      sign: 1,
    };
  }
  if (answer === 'worse') {
    return {
      ...numbers,
      value: most.value,
      state: 'probably_not',
      sign: -1,
    };
  }
  return {
    ...numbers,
    state: most.value > anchor.value ? 'unknown' : 'undecided',
    sign: 0,
  };
}

function within(form: Measured, comparisons: number) {
  const half = halfWidth(form, scoreBars(comparisons, form).whole);
  const { value, stdErr } = form;
  return {
    value,
    stdErr,
    lower: value - half,
    upper: value + half,
  };
}

/**
 * Whether weaker evidence is significant and contradicts the result. Served lists without
 * randomisation never do.
 */
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
  return Math.abs(score) >= scoreBars(comparisons, anchor).whole && Math.sign(score) === -said;
}
