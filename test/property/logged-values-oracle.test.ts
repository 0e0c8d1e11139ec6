import fc from 'fast-check';
import { expect, it } from 'vitest';
import { loggedValues } from '../../src/features/values/logged-values.js';
import { listPredictions } from '../../src/features/values/rewards-of-lists.js';
import { windowRequests } from '../../src/state/requests/pane-requests.js';
import {
  DRAWN_LIST,
  doublyRobustByDefinition,
  LOOKED_AT,
  loggedByDefinition,
  type SlowLoggedRequest,
} from '../oracle/logged-requests.js';
import { RequestPartition } from '../support/request-partition.js';

const ITEMS = [1, 2, 3, 4, 5, 6];
const NAMES = ['logger', 'other', 'challenger', 'uniform'];
const THETA = [1, 0.6, 0.3, 0.2, 0.1];
const LAMBDA = 3;
const UNITS = ['slot', 'prefix', 'list', 'item'] as const;

const aChance = fc.double({ min: 0.05, max: 1, noNaN: true });
const aRequest = fc.record({
  user: fc.nat(5),
  logger: fc.nat(1),
  propensityOf: fc.constantFrom('slot' as const, 'conditional' as const, 'item' as const),
  firstRank: fc.nat(1),
  shown: fc.shuffledSubarray(ITEMS, { minLength: 1, maxLength: 3 }),
  chances: fc.tuple(aChance, aChance, aChance),
  clicked: fc.subarray(ITEMS),
  other: fc.shuffledSubarray(ITEMS, { minLength: 1 }),
  challenger: fc.option(fc.shuffledSubarray(ITEMS, { minLength: 3 })),
  candidates: fc.option(fc.integer({ min: LOOKED_AT + 1, max: 40 })),
});
type Drawn = typeof aRequest extends fc.Arbitrary<infer Each> ? Each : never;

function slow(each: Drawn): SlowLoggedRequest {
  const { shown, chances, clicked, other, challenger, candidates } = each;
  const lists: [number, readonly number[] | { candidates: number }][] = [];
  if (each.logger !== 1) lists.push([1, other]);
  if (challenger !== null) lists.push([2, challenger]);
  if (candidates !== null) lists.push([3, { candidates }]);
  return {
    ...each,
    shown: shown.map((item, k) => ({ item, propensity: chances[k] })),
    clicked: new Set(clicked.filter((item) => shown.includes(item))),
    lists: new Map(lists),
  };
}

function partitionOf(requests: readonly SlowLoggedRequest[]): RequestPartition {
  const partition = new RequestPartition();
  for (const [
    q,
    { user, logger, shown, firstRank, propensityOf, lists, clicked },
  ] of requests.entries()) {
    const ts = q;
    const id = 10 * q + 1;
    const own = { request: 1000 + q, user, ts };
    partition.list({
      ...own,
      id,
      model: logger,
      items: shown.map(({ item }) => item),
      isServed: true,
      propensities: shown.map(({ propensity }) => propensity),
      propensityOf,
      firstRank,
    });
    for (const [model, list] of lists) {
      partition.list(
        'candidates' in list
          ? { ...own, id: id + model, model, items: DRAWN_LIST, drawnFrom: list.candidates }
          : { ...own, id: id + model, model, items: list },
      );
    }
    for (const item of clicked) partition.click(ts + 1, id, item, { user });
  }
  return partition;
}

function valuesOf(partition: RequestPartition) {
  const panes = partition.state.closed.requests;
  const kept = windowRequests(panes, 99, [0, 1, 2, 3], (user) => user);
  const options = { horizonMs: 250, unit: 'request', theta: THETA, isJudged: false } as const;
  const predicted = listPredictions(kept, THETA);
  return loggedValues(kept, NAMES, { ...options, shrinkage: LAMBDA }, { until: 10_000, predicted })
    .values;
}

function expectClose(actual: number, wanted: number): void {
  if (Number.isNaN(wanted)) expect(actual).toBeNaN();
  else expect(Math.abs(actual - wanted)).toBeLessThan(1e-9 * Math.max(1, Math.abs(wanted)));
}

it('values by logged propensities equal their definition through events, panes and windows', () => {
  fc.assert(
    fc.property(fc.array(aRequest, { minLength: 1, maxLength: 12 }), (drawn) => {
      const requests = drawn.map(slow);
      const partition = partitionOf(requests);
      partition.closeThrough(9);
      const values = valuesOf(partition);
      for (const model of [0, 1, 2, 3]) {
        for (const unit of UNITS) {
          const [ips, snips, dr, dros] = ['ips', 'snips', 'dr', 'dros'].map((form) => {
            return values.find((each) => {
              return each.model === NAMES[model] && each.estimator === `logged_${unit}_${form}`;
            });
          });
          const wanted = loggedByDefinition(requests, model, unit, THETA);
          if (ips === undefined || wanted.requests === 0) {
            expect(ips?.requests ?? 0).toBe(wanted.requests);
            continue;
          }
          expect(ips.requests).toBe(wanted.requests);
          expectClose(ips.value, wanted.ips);
          expectClose(ips.ess, Number.isNaN(wanted.ess) ? 0 : wanted.ess);
          expectClose(snips!.value, wanted.snips);
          const doubly = doublyRobustByDefinition(requests, model, unit, THETA, LAMBDA);
          expectClose(dr!.value, doubly.dr);
          expectClose(dros!.value, doubly.dros);
        }
      }
    }),
  );
});
