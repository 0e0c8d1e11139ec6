import type { Measured } from '../../estimators/evidence/anchored-rule.js';
import { LEADING, RANDOMISED, UNCORRECTED } from '../../estimators/names.js';
import { isContradicted, plausibleGamma } from '../../estimators/propensity/gamma-error.js';
import type { EstimateDifference } from '../../estimators/results/estimate.js';
import { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';
import { isGiven } from '../../rows/reading.js';
import type { Snapshot } from '../../stream/snapshot.js';
import type { DecisionOptions } from './decision-options.js';
import type { Objection, PairEvidence } from './evidence.js';
import { gammaFlip } from './gamma-flip.js';

/** γ at which nothing is corrected. */
const NO_CORRECTION = -1;

/** What a window says of its models by a corrected metric, and by randomised traffic. */
type LookedAt = Pick<Snapshot, 'propensity' | 'windows' | 'baseline'>;

/**
 * What corrected metrics say of each model against the reference: by randomised traffic where it shows
 * both, with the weighted estimate as the sharper form; by what users found, of what they found by
 * themselves where the whole is withheld. The built-in model is nobody’s choice.
 *
 * @param asked the metric that decides. @returns none for a metric that was not estimated.
 */
export function metricEvidence(
  { propensity, windows: [window], baseline }: LookedAt,
  asked: DecisionOptions['metric'],
): PairEvidence[] {
  const isAsked = (row: EstimateDifference) =>
    row.metric === asked.metric &&
    row.k === asked.k &&
    row.form === 'pooled' &&
    row.model !== baseline;
  const given = window.differences.filter(isAsked);
  const uncaused = (window.feedback?.uncaused?.differences ?? []).filter(isAsked);
  return given
    .filter(({ estimator }) => estimator === LEADING)
    .flatMap((row) => {
      const ofPair = (rows: readonly EstimateDifference[], name: string) =>
        rows.find(
          (own) =>
            own.model === row.model && own.reference === row.reference && own.estimator === name,
        );
      const isWithheld = !isGiven(row);
      const rows = isWithheld ? uncaused : given;
      const found = ofPair(rows, LEADING);
      const plain = ofPair(rows, UNCORRECTED);
      const randomised = ofPair(given, RANDOMISED);
      const own = found ?? row;
      const metric: PairEvidence = {
        ...{ ...common(own, asked), rung: 'metric', objection: objectionTo(found, window) },
        flip: flipOf(own, plain, isWithheld, { propensity, windows: [window], baseline }),
        ...(plain && { uncorrected: measured(plain) }),
        ...(isWithheld && { isOfUncaused: true as const }),
      };
      if (randomised === undefined || !(randomised.ess > 0)) return [metric];
      return [ofRandomised(randomised, found, asked), metric];
    });
}

const common = (
  { model, reference, ess, ...row }: EstimateDifference,
  measure: PairEvidence['measure'],
) => ({ model, reference, measure, ess, anchor: measured({ ess, ...row }) });

function measured({
  value,
  stdErr,
  ess,
}: Pick<EstimateDifference, 'value' | 'stdErr' | 'ess'>): Measured {
  return { value, stdErr, freedom: Math.max(1, ess - 1) };
}

function ofRandomised(
  row: EstimateDifference,
  weighted: EstimateDifference | undefined,
  measure: PairEvidence['measure'],
): PairEvidence {
  const anchor = measured(row);
  const few: Objection = { reason: 'few_users', figures: { users: row.ess } };
  return {
    ...{
      ...common(row, measure),
      rung: 'randomized',
      objection: row.ess >= FEW_USERS ? null : few,
    },
    ...(weighted && {
      sharper: {
        form: measured(weighted),
        // Rows of randomised traffic and those that users found by themselves are not the same.
        apart: {
          value: anchor.value - weighted.value,
          stdErr: Math.hypot(anchor.stdErr, weighted.stdErr),
          freedom: anchor.freedom,
        },
      },
    }),
  };
}

function objectionTo(
  found: EstimateDifference | undefined,
  { feedback, exponentTest }: LookedAt['windows'][0],
): Objection | null {
  if (found === undefined || !isGiven(found)) {
    const { caused = Number.NaN, source } = feedback ?? {};
    if (source === undefined) return { reason: 'not_estimated', figures: {} };
    return source === 'named'
      ? { reason: 'all_caused', figures: { caused } }
      : { reason: 'unnamed', figures: { named: feedback!.named } };
  }
  if (!(found.ess >= FEW_USERS)) return { reason: 'few_users', figures: { users: found.ess } };
  if (!isContradicted(exponentTest)) return null;
  return { reason: 'not_trusted', figures: { deviation: exponentTest!.deviation } };
}

/** Where the pair changes places at a plausible γ. */
function flipOf(
  { model, reference, value, metric, k }: EstimateDifference,
  plain: EstimateDifference | undefined,
  isOfUncaused: boolean,
  { propensity, windows: [{ exponentTest, sensitivity }] }: LookedAt,
): PairEvidence['flip'] {
  const { lower, upper } = plausibleGamma(propensity, exponentTest);
  if (!isOfUncaused) {
    const flips = sensitivity.find((own) => own.metric === metric && own.k === k)?.flips ?? [];
    const found = flips.find(({ below, above, gamma }) => {
      const isOfPair = [below, above].every((own) => own === model || own === reference);
      return isOfPair && gamma >= lower && gamma <= upper;
    });
    return found === undefined ? null : { gamma: found.gamma, winsBelow: found.below };
  }
  const { gamma } = propensity;
  if (plain === undefined || lower > NO_CORRECTION || gamma <= NO_CORRECTION) return null;
  // It is estimated at one γ, and at −1, where nothing is corrected: on the line through the two.
  const slope = (value - plain.value) / (gamma - NO_CORRECTION);
  const at = gammaFlip([
    { gamma: NO_CORRECTION, value: plain.value },
    { gamma, value },
    { gamma: upper, value: value + slope * (upper - gamma) },
  ]);
  return at === undefined ? null : { gamma: at, winsBelow: plain.value > 0 ? model : reference };
}
