import { halfWidth, type Measured, scoreBars } from '../../estimators/evidence/anchored-rule.js';
import { type Contrast, errorOf, freedomOf, liftOf } from '../../estimators/evidence/per-user.js';
import type { AbPair, AbRead } from '../values/ab/ab-read.js';
import type { PairVerdict } from '../verdict.js';
import type { AbAnswer, AbLift } from './answer.js';

/**
 * Combine the result of a test with the verdicts on its pairs.
 *
 * @param multiplierFor half-width of a model's interval in standard errors, for anytime-valid
 * tests.
 */
export function abAnswer(
  read: AbRead,
  verdicts: readonly PairVerdict[],
  multiplierFor: (model: string) => number | undefined = () => undefined,
): AbAnswer {
  const { pairs, objection, ...known } = read;
  const ofPair = ({ model }: AbPair) =>
    verdicts.find(
      (own) => own.rung === 'experiment' && own.model === model && own.reference === read.control,
    );
  const found = pairs.map(ofPair);
  return {
    ...known,
    rule: found.find((each) => each !== undefined)?.rule ?? 'single_look',
    lifts: pairs.map((pair, p) =>
      liftOfPair(pair, found[p], Math.max(1, pairs.length), multiplierFor(pair.model)),
    ),
    refusal: objection && {
      code: objection.reason,
      figures: objection.figures,
      of: objection.of ?? [],
    },
  };
}

/**
 * The lift of a pair's arm over the control. It is the lift in all rewards, or that in a sharper
 * form if the verdict prefers an arm while the interval of all rewards includes 0.
 */
function liftOfPair(
  pair: AbPair,
  verdict: PairVerdict | undefined,
  pairs: number,
  known: number | undefined,
): AbLift {
  const { model, whole, sharper } = pair;
  const comparisons = verdict?.comparisons ?? pairs;
  const all = known ?? multiplierOf(whole, pair, comparisons);
  const isClear = Math.abs(whole.difference) > all * errorOf(whole);
  const isSharper = sharper !== undefined && !isClear && verdict?.better != null;
  const form = isSharper ? sharper.form : whole;
  const multiplier = isSharper ? multiplierOf(form, pair, comparisons) : all;
  const stdErr = errorOf(form);
  const { lift, lower, upper } = liftOf(form, multiplier);
  return {
    model,
    difference: form.difference,
    stdErr,
    lower: form.difference - multiplier * stdErr,
    upper: form.difference + multiplier * stdErr,
    lift,
    liftLower: lower,
    liftUpper: upper,
    z: form.difference / form.wald,
    score: form.difference / form.score,
    of: isSharper ? sharper.of : pair.unit === 'request' ? 'per_request' : 'all',
    verdict: verdict?.state ?? 'none',
    better: verdict?.better ?? null,
  };
}

/** Half-width of the interval in standard errors. */
function multiplierOf(form: Contrast, pair: AbPair, comparisons: number): number {
  const freedom = freedomOf(form, pair.unit, pair.leastUsers);
  const one: Measured = {
    value: 0,
    stdErr: 1,
    freedom,
  };
  return halfWidth(one, scoreBars(comparisons).whole);
}
