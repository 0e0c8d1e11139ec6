import fc from 'fast-check';
import { expect, it } from 'vitest';
import { valueOfWindows } from '../../src/features/values/value-of-windows.js';
import type { ValueOptions } from '../../src/features/values/value-options.js';
import type { WindowValues } from '../../src/features/values/window-values.js';
import { type WindowRequests, windowRequests } from '../../src/state/requests/pane-requests.js';
import { differences } from '../support/compare.js';
import { repetitions } from '../support/repetitions.js';
import { RequestPartition } from '../support/request-partition.js';

const NAMES = ['A', 'B', 'challenger', 'random', 'logger'];
const ITEMS = 6;
const THETA = [1, 0.6, 0.5, 0.3, 0.2];

interface Request {
  readonly user: number;
  readonly ts: number;
  readonly kind: 'arms' | 'random' | 'slot' | 'conditional' | 'item' | 'lost';
  readonly arm: number;
  /** Of the first arm, in hundredths. */
  readonly share: number;
  readonly turn: number;
  readonly clicks: readonly number[];
}

const REQUEST: fc.Arbitrary<Request> = fc.record({
  user: fc.nat(23),
  ts: fc.nat(699),
  kind: fc.constantFrom('arms', 'arms', 'arms', 'random', 'slot', 'conditional', 'item', 'lost'),
  arm: fc.nat(1),
  share: fc.integer({ min: 1, max: 99 }),
  turn: fc.nat(ITEMS - 1),
  clicks: fc.array(fc.nat(3), { maxLength: 3 }),
});

const turned = (turn: number) => [0, 1, 2, 3].map((place) => (place + turn) % ITEMS);

/** The panes of a partition, of users that are in it. */
function panesOf(requests: readonly Request[], isIn: (user: number) => boolean): WindowRequests[] {
  const partition = new RequestPartition();
  for (const [q, each] of requests.entries()) {
    if (!isIn(each.user)) continue;
    const { user, ts, kind, arm, turn, clicks } = each;
    const own = { request: 1 + q, user, ts };
    const lists = [turned(turn), turned(turn + 1 + (q % 2))];
    const id = 10 * (1 + q);
    if (kind === 'slot' || kind === 'conditional' || kind === 'item') {
      const given = { propensityOf: kind, propensities: [0.5, 0.4, 0.3, 0.25] };
      partition.list({ ...own, ...given, id, model: 4, items: lists[0], isServed: true });
    } else {
      const shares = [each.share / 100, 1 - each.share / 100];
      for (const [a, items] of lists.entries()) {
        const list = { ...own, id: id + a, items, share: shares[a], isServed: a === arm };
        if (kind === 'lost' && a !== arm) continue;
        const isDrawn = kind === 'random' && a === 1;
        partition.list(isDrawn ? { ...list, model: 3, drawnFrom: ITEMS } : { ...list, model: a });
      }
    }
    partition.list({ ...own, id: id + 5, model: 2, items: turned(turn + 3) });
    const served = kind === 'slot' || kind === 'conditional' || kind === 'item' ? 0 : arm;
    for (const place of clicks) partition.click(ts + 1, id + served, lists[served][place], own);
  }
  partition.closeThrough(9);
  const { requests: closed } = partition.state.closed;
  const hashOf = (user: number) => Math.imul(user + 1, 0x9e3779b1);
  return windowRequests(closed, 99, [0, 1, 2, 3, 4], hashOf);
}

function valuesOf(panes: readonly WindowRequests[], options: ValueOptions): WindowValues[] {
  const valued = valueOfWindows(panes, NAMES, options);
  return [
    valued({ firstPane: 0, lastPane: 9, to: 1000 }),
    valued({ firstPane: 3, lastPane: 6, to: 700 }),
  ];
}

it('reward per request does not depend on how users are assigned to partitions', () => {
  const options: fc.Arbitrary<ValueOptions> = fc.record({
    horizonMs: fc.constant(250),
    unit: fc.constantFrom('request' as const, 'user' as const),
    isJudged: fc.constantFrom(false, false, true),
    theta: fc.constantFrom(undefined, undefined, THETA) as fc.Arbitrary<typeof THETA>,
    shrinkage: fc.constantFrom(undefined, 2),
    targets: fc.constantFrom(undefined, undefined, ['challenger', 'nobody']),
  });
  const plan = fc.record({
    partitions: fc.constantFrom(2, 6, 12, 24),
    /** With few shares they are strata, with many each request has its own. */
    hasFewShares: fc.boolean(),
    onlyArms: fc.boolean(),
  });
  const forms = new Set<string>();
  fc.assert(
    fc.property(
      fc.array(REQUEST, { minLength: 60, maxLength: 160 }),
      options,
      plan,
      (drawn, given, own) => {
        const { partitions } = own;
        const requests = drawn.map((each): Request => {
          const share = own.hasFewShares ? 30 + 40 * (each.share % 2) : each.share;
          return { ...each, share, ...(own.onlyArms && { kind: 'arms' as const }) };
        });
        const parts = Array.from({ length: partitions }, (_, p) =>
          panesOf(requests, (user) => user % partitions === p),
        );
        const whole = valuesOf(
          panesOf(requests, () => true),
          given,
        );
        for (const { values } of whole) {
          for (const { estimator, value } of values) if (value > 0) forms.add(estimator);
        }
        const divided = valuesOf(parts.flat(), given);
        expect(differences(divided, whole, 1e-9)).toEqual([]);
      },
    ),
    { numRuns: repetitions(5, 100) },
  );
  for (const form of ['on_policy', 'arms_snips', 'arms_dr', 'logged_slot_dr', 'logged_item_ips']) {
    expect(forms).toContain(form);
  }
});
