import { RATING_METRICS, type RatingMetric } from '../estimators/metrics/rating-metrics.js';
import { METRICS, type Metric } from '../estimators/metrics/registry.js';
import {
  ESTIMATORS,
  type EstimatorName,
  REFUSED_ESTIMATORS,
} from '../estimators/rules/registry.js';
import { didYouMean } from './spelling.js';

/** Checks names of metrics; throws a RangeError that says what is wrong with each wrong one. */
export function chosenMetrics(names: readonly string[]): (Metric | RatingMetric)[] {
  return chosen('metric', names, [...METRICS, ...RATING_METRICS], {});
}

/** Checks names of estimators; throws a RangeError that says what is wrong with each wrong one. */
export function chosenEstimators(names: readonly string[]): EstimatorName[] {
  return chosen('estimator', names, ESTIMATORS, REFUSED_ESTIMATORS);
}

function chosen<Name extends string>(
  kind: string,
  names: readonly string[],
  known: readonly Name[],
  refused: Readonly<Record<string, string>>,
): Name[] {
  const faults: string[] = [];
  if (names.length === 0) faults.push(`expected at least one ${kind}`);
  for (const [index, name] of names.entries()) {
    if (names.indexOf(name) < index) faults.push(`${kind} ${name} is given twice`);
    else if (known.includes(name as Name)) continue;
    else if (Object.hasOwn(refused, name)) faults.push(`${kind} ${name} ${refused[name]}`);
    else {
      faults.push(
        `unknown ${kind} '${name}'${didYouMean(name, known)}; known are ${known.join(', ')}`,
      );
    }
  }
  if (faults.length > 0) throw new RangeError(faults.join('; '));
  return names as Name[];
}
