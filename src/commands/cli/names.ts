import { RATING_METRICS, ratingMetricOf } from '../../estimators/metrics/rating-metrics.js';
import { METRICS, metricOf } from '../../estimators/metrics/registry.js';
import { ESTIMATORS, estimatorOf } from '../../estimators/rules/registry.js';

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
      ESTIMATORS.map((own) => [own, estimatorOf(own).inWords]),
    ),
    ...block('Metrics:', [
      ...METRICS.map((own) => [own, metricOf(own).inWords] as const),
      ...RATING_METRICS.map((own) => [own, ratingMetricOf(own).inWords] as const),
    ]),
  ].join('\n');
}
