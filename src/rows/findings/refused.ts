import { ABSOLUTE } from '../../estimators/names.js';
import type { ScaleName, ScaleReport } from '../../estimators/results/scale-report.js';
import type { Refusal } from '../../estimators/results/window-estimates.js';
import type { WindowSnapshot } from '../../stream/tick/snapshot.js';
import { formWords, listed } from '../words.js';
import type { Finding, Words } from './finding.js';
import { say } from './sentence.js';

/**
 * Findings about estimators that cannot be computed, and about the estimator ips if the
 * propensities that it uses come from a weaker source.
 */
export function refusedFindings({ refusals, absoluteScale }: WindowSnapshot): Finding[] {
  return [...refused(refusals), ...(absoluteScale === null ? [] : [scaleFinding(absoluteScale)])];
}

/** Report refused estimators, one finding for all that have the same aggregation and reason. */
function refused(refusals: readonly Refusal[]): Finding[] {
  const keyOf = ({ reason, aggregation }: Refusal) => JSON.stringify([aggregation, reason]);
  return [...new Set(refusals.map(keyOf))].map((key): Finding => {
    const alike = refusals.filter((refusal) => keyOf(refusal) === key);
    const { aggregation, reason } = alike[0];
    const estimators = [...new Set(alike.map(({ estimator }) => estimator))];
    const metrics = [...new Set(alike.flatMap(({ metric }) => metric ?? []))];
    const subject = {
      estimators,
      ...(metrics.length === 0 ? {} : { metrics }),
      ...(aggregation === undefined ? {} : { aggregation }),
    };
    return {
      code: 'refused',
      severity: 'note',
      subject,
      figures: {},
      reason,
    };
  });
}

const SCALE_WORDS: Readonly<Record<ScaleName, string>> = {
  logged: 'logged propensities',
  randomized: 'randomised traffic',
  reach: 'the share of users that each item was shown to',
  relative:
    'popularity relative to the most popular item, so only ratios of estimates are meaningful',
};

function scaleFinding({ scale, passedOver, loggedShare }: ScaleReport): Finding {
  const better = passedOver.map(({ scale: other, reason }) => `${other} (${reason})`);
  const instead =
    better.length === 0
      ? ''
      : `, because better scales are not available: ${listed(better).join('')}`;
  return {
    code: 'ips_scale',
    severity: scale === 'relative' ? 'caution' : 'note',
    subject: { estimators: [ABSOLUTE] },
    figures: { loggedShare },
    reason: `the ${scale} scale (${SCALE_WORDS[scale]})${instead}`,
  };
}

export const REFUSED_WORDS = {
  refused: ({ subject: { estimators = [], metrics = [], aggregation }, reason = '' }) => {
    const measure = metrics.length === 0 ? '' : ` on ${metrics.join(', ')}`;
    const form = aggregation === undefined ? '' : `, ${formWords(aggregation)},`;
    const verb = estimators.length === 1 ? 'is not available: it' : 'are not available: each';
    return say`${estimators.join(', ')}${measure}${form} ${verb} ${reason}.`;
  },
  ips_scale: ({ reason = '' }) => say`${ABSOLUTE} takes its propensities from ${reason}.`,
} satisfies Words;
