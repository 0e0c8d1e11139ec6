import { describe, expect, it } from 'vitest';
import { Random } from '../../../../../src/estimators/mathematics/random.js';
import { VALUE_REMEDIES } from '../../../../../src/features/values/reasons.js';
import { valueOfWindows } from '../../../../../src/features/values/value-of-windows.js';
import type { ValueOptions } from '../../../../../src/features/values/value-options.js';
import type { WindowValues } from '../../../../../src/features/values/window-values.js';
import { reasonOf } from '../../../../../src/rows/reading.js';
import { windowRequests } from '../../../../../src/state/requests/pane-requests.js';
import { repetitions } from '../../../../support/repetitions.js';
import { RequestPartition } from '../../../../support/request-partition.js';

const NAMES = ['steady', 'bold', 'target'];
const WORTH = [0.6, 0.1, 0.4, 0.5];
const SHARES = [0.7, 0.3];
/** Propensity of each item by logger, for one position: the first logger is deterministic. */
const CHANCES = [
  [1, 0, 0, 0],
  [0.1, 0.2, 0.3, 0.4],
];

function drawn(random: Random, chances: readonly number[]): number {
  let left = random.next();
  return chances.findIndex((chance) => {
    left -= chance;
    return left < 0;
  });
}

/** @param isBalanced whether propensities are those of both loggers together */
function valuesOf(
  seed: number,
  isBalanced: boolean,
  options: Partial<ValueOptions> = {},
  targetOf: (logger: number) => boolean = () => true,
): WindowValues {
  const random = new Random(seed, 'loggers');
  const partition = new RequestPartition();
  for (let q = 0; q < 1500; q++) {
    const own = { request: 10 + q, user: q % 700, ts: random.below(700) };
    const logger = drawn(random, SHARES);
    const item = Math.max(0, drawn(random, CHANCES[logger]));
    const mixed = SHARES[0] * CHANCES[0][item] + SHARES[1] * CHANCES[1][item];
    const propensities = [isBalanced ? mixed : CHANCES[logger][item]];
    const id = 3 * q + 1;
    partition.list({ ...own, id, model: logger, items: [item], isServed: true, propensities });
    if (targetOf(logger))
      partition.list({ ...own, id: id + 1, model: 2, items: [q % 2 === 0 ? 0 : 2] });
    // The list that the other logger would have served.
    partition.list({
      ...own,
      id: id + 2,
      model: 1 - logger,
      items: [drawn(random, CHANCES[1 - logger])],
    });
    if (random.next() < WORTH[item]) partition.click(own.ts + 1, id, item, { user: own.user });
  }
  partition.closeThrough(9);
  const panes = partition.state.closed.requests;
  const kept = windowRequests(panes, 99, [0, 1, 2], (user) => user);
  const given = { horizonMs: 250, unit: 'request', ...options } as const;
  const valued = valueOfWindows(kept, NAMES, given);
  return valued({ firstPane: 0, lastPane: 9, to: 10_000 });
}

const rowOf = ({ values }: WindowValues, model: string, estimator: string) =>
  values.find((each) => each.model === model && each.estimator === estimator)!;

describe('several models that draw lists', () => {
  it('give no value for another model by their own propensities, but a remedy', () => {
    const values = valuesOf(1, false);
    for (const form of ['ips', 'snips', 'dr']) {
      const row = rowOf(values, 'target', `logged_slot_${form}`);
      expect([row.value, reasonOf(row)]).toEqual([Number.NaN, 'several_loggers']);
      expect(row.reasons[0]).toMatchObject({ figures: { loggers: 2 } });
      expect(VALUE_REMEDIES.several_loggers).toBe('log_balanced');
    }
    // If they are wrongly declared as balanced, the mean weight is off.
    const wrong = rowOf(valuesOf(1, false, { loggers: 'balanced' }), 'target', 'logged_slot_ips');
    expect(reasonOf(wrong)).toBe('mean_weight_off');
  });

  it('give unbiased values if propensities are those of all loggers together', () => {
    const truth = (WORTH[0] + WORTH[2]) / 2;
    const replicates = repetitions(10, 20);
    const worlds = Array.from({ length: replicates }, (_, seed) =>
      valuesOf(seed, true, { loggers: 'balanced' }),
    );
    for (const form of ['ips', 'snips', 'dr']) {
      const errors = worlds.map((values) => {
        const { value, stdErr } = rowOf(values, 'target', `logged_slot_${form}`);
        return (value - truth) / stdErr;
      });
      const sum = errors.reduce((total, each) => total + each, 0);
      expect(Math.abs(sum) / Math.sqrt(replicates), form).toBeLessThan(3);
    }
  });
});
