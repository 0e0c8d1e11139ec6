import { isFollowed } from '../feedback/feedback-mode.js';
import { listGains, placesBelow, rankGains, setGains } from '../metrics/metric-gain.js';
import type { EstimateOptions } from '../options.js';
import type { WeightingRule } from '../rules/weighting-rule.js';
import { MostCandidates } from './complete-list.js';
import { ExpectedSet } from './expected-set.js';
import { Lane } from './lane.js';
import type { Family } from './selection.js';
import { StratumSums } from './stratum-sums.js';

/**
 * A lane for each model and family of metrics, by family first: models whose lists cover the same
 * rows then stand side by side; and the reference model first, so that the others find its sums.
 *
 * @param reference number of that model; −1 for none.
 */
export function makeLanes(
  models: readonly string[],
  reference: number,
  rules: readonly WeightingRule[],
  options: EstimateOptions,
): Lane[] {
  const { metrics, ks, strata, interval, catalogueSize } = options;
  const followsCauses = isFollowed(options);
  const rest = models.map((_, m) => m).filter((m) => m !== reference);
  const order = reference in models ? [reference, ...rest] : rest;
  const ranked = [
    ...rankGains(metrics, ks).map((gain) => ({ ...gain, ofList: null, set: null })),
    ...setGains(metrics, ks).map(({ metric, k, of }) => ({
      ...{ metric, k, table: placesBelow(k), ofList: null },
      set: new ExpectedSet(of, k),
    })),
  ];
  const complete = listGains(metrics).map(({ metric, k, of }) => ({
    ...{ metric, k, table: null, ofList: of, set: null },
  }));
  const candidates = () =>
    interval === 'korn-graubard' ? new MostCandidates(catalogueSize) : null;
  const lanesOf = (family: Family, gains: typeof complete | typeof ranked) =>
    gains.length > 0
      ? order.map(
          (m) =>
            new Lane(m, family, gains, rules, new StratumSums(strata), followsCauses, candidates()),
        )
      : [];
  return [...lanesOf('ranked', ranked), ...lanesOf('complete', complete)];
}
