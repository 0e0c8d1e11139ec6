import type { EstimatorName } from '../../../estimators/names.js';
import { ESTIMATORS } from '../../../estimators/registry/registry.js';
import { RATING_METRICS, ratingMetricOf } from '../../../gains/rating-metrics.js';
import { METRICS, metricOf } from '../../../gains/registry.js';

const IN_WORDS: Readonly<Record<EstimatorName, string>> = {
  naive: 'the plain mean, not corrected: popular items count as often as they were seen',
  ips: 'each interaction over its propensity, by all pairs; needs absolute propensities',
  snips: 'weighted by 1 / propensity, over the sum of the weights; what leads',
  gs: 'as snips, with one weight for all items of a stratum of similar popularity',
  full: 'all interactions as a test set: what the draw of the others is compared with',
  reg: 'expected on a test set drawn evenly: what drawing alone changes',
  skew: 'expected on a test set drawn by 1 / popularity of the item; needs no γ',
  wtd: 'expected on a test set drawn towards the users and items of randomised traffic',
  wtd_h: 'expected on a test set drawn towards evenly spread users and items; needs no γ',
  wtd_ipf: 'the same, raked until users and items are spread evenly',
  ure: 'the mean over randomised traffic alone',
};

/** Estimators and metrics with what each is, a line each, for the help of what computes them. */
export function namesHelp(title: (text: string) => string, name: (text: string) => string): string {
  const block = (heading: string, rows: readonly (readonly [string, string])[]) => {
    const width = Math.max(...rows.map(([own]) => own.length)) + 2;
    const lines = rows.map(
      ([own, words]) => `  ${name(own)}${' '.repeat(width - own.length)}${words}`,
    );
    return [title(heading), ...lines, ''];
  };
  return [
    '',
    ...block(
      'Estimators:',
      ESTIMATORS.map((own) => [own, IN_WORDS[own]]),
    ),
    ...block('Metrics:', [
      ...METRICS.map((own) => [own, metricOf(own).inWords] as const),
      ...RATING_METRICS.map((own) => [own, ratingMetricOf(own).inWords] as const),
    ]),
  ].join('\n');
}
