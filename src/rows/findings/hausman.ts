import { normalUpperQuantile } from '../../estimators/mathematics/distributions.js';
import { LEADING, RANDOMISED } from '../../estimators/names.js';
import type { EstimateRow } from '../../estimators/results/estimate.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import { decimal } from '../figures.js';
import { isGiven, ofLeadingForm } from '../reading.js';
import { metricName } from '../words.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';

/** Significance level of the Hausman test, for all models together. */
const REJECTS = 0.05;

/**
 * Hausman test of `snips` against randomised traffic: z = (snips − ure) / √(se_snips² + se_ure²).
 * The two estimates use different rows. The largest |z| of M models is compared with Φ⁻¹(1 − .025 /
 * M). No finding without randomised traffic.
 *
 * Source: Hausman 1978.
 */
export function hausmanFindings({ results }: WindowSnapshot): Finding[] {
  const first = results.find((row) => row.estimator === RANDOMISED && isGiven(row));
  if (first === undefined) return [];
  const isOwn = (name: string) => (row: EstimateRow) =>
    row.estimator === name && row.metric === first.metric && row.k === first.k && isGiven(row);
  const randomised = ofLeadingForm(results.filter(isOwn(RANDOMISED)));
  const corrected = ofLeadingForm(results.filter(isOwn(LEADING)));
  const apart = randomised.flatMap(({ model, value, stdErr }) => {
    const own = corrected.find((row) => row.model === model);
    if (own === undefined) return [];
    const z = Math.abs(own.value - value) / Math.hypot(own.stdErr, stdErr);
    return Number.isFinite(z) ? [z] : [];
  });
  const deviation = Math.max(0, ...apart);
  const bar = normalUpperQuantile(REJECTS / 2 / Math.max(1, apart.length));
  if (!(deviation > bar)) return [];
  const subject = { metrics: [metricName(first)] };
  return [
    {
      code: 'not_popularity',
      severity: 'caution',
      subject,
      figures: { deviation },
    },
  ];
}

export const HAUSMAN_WORDS = {
  not_popularity: ({ figures }) =>
    say`The popularity correction does not fit this log: randomised traffic (ure) contradicts snips by ${decimal(figures.deviation, 1)} standard errors. Read ure instead.`,
} satisfies Words;
