import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { ValueRow } from '../../src/features/values/value-row.js';
import { type ArmWorld, drByDefinition, expectedByHalves } from '../oracle/value-arms.js';
import { type Event, feed, smallOptions } from '../support/log.js';
import { repetitions } from '../support/repetitions.js';
import { clusterOfUser, evaluated, requestEvents, usersApart } from '../support/request-events.js';
import type { LoggedRequest } from '../support/value-log.js';

const ITEMS = ['a', 'b', 'c', 'd', 'e'];
const ARMS = [{ list: 0 }, { list: 1 }];
const STEP_MS = 10;
const USERS = usersApart(6);
const value = { horizonMs: 30, unit: 'request', theta: [1, 0.5], isJudged: false } as const;
const options = smallOptions({
  value,
  windows: [{ name: 'w', ms: 1000 }],
  estimates: { ...smallOptions().estimates, metrics: ['recall'], ks: [1], estimators: ['naive'] },
});

/** Groups of users are halved by their last bit. */
const HALVES = USERS.map((user) => clusterOfUser(user) & 1);
const halfOf = ({ cluster = 0 }: LoggedRequest) => HALVES[cluster];

// As long as the positions that are examined: these are read off the arms' lists.
const aList = fc.shuffledSubarray(ITEMS, { minLength: 2, maxLength: 3 });
const aWorld = fc
  .array(
    fc.record({
      lists: fc.tuple(aList, aList, aList),
      arm: fc.nat(1),
      cluster: fc.nat(5),
      clicked: fc.subarray(ITEMS),
    }),
    { minLength: 8, maxLength: 20 },
  )
  .map((drawn): ArmWorld => {
    const requests = drawn.map(({ lists, arm, cluster, clicked }) => {
      const shown = lists[arm].slice(0, value.theta.length);
      const rewards = Object.fromEntries(
        clicked.filter((item) => shown.includes(item)).map((item) => [item, 1]),
      );
      return { lists, arm, cluster, rewards };
    });
    const world = { requests, arms: ARMS, theta: value.theta };
    const expected = expectedByHalves(world, halfOf);
    return { ...world, shares: [[0.5, 0.5]], isEmpirical: true, expected };
  });

const eventsOf = ({ requests }: ArmWorld) =>
  requestEvents(requests, {
    models: ['A', 'B', 'S'],
    shares: [[0.5, 0.5, undefined]],
    stepMs: STEP_MS,
  });

/** Of the last pane in which something is valued. */
function streamed(events: readonly Event[], partitions: number): readonly ValueRow[] {
  const ts = Math.max(...events.map((event) => Number(event.ts))) + 200;
  const later: Event = { type: 'interaction', id: 'later', ts, user: 'u0', item: 'x', value: 0 };
  const { snapshots } = feed([...events, later], options, { partitions, batchSize: 3, run: 1 });
  return snapshots.flatMap(({ windows }) => windows[0].values ?? []).slice(-99);
}

function expectDefined(rows: readonly ValueRow[], world: ArmWorld): void {
  for (const [m, model] of ['A', 'B', 'S'].entries()) {
    const found = rows.findLast((row) => row.model === model && row.estimator === 'arms_dr')!;
    const wanted = drByDefinition(world, m);
    expect(found.value).toBeCloseTo(wanted.value, 10);
    const isSpread = new Set(world.requests.map(({ cluster }) => cluster)).size > 1;
    if (isSpread) expect(found.stdErr).toBeCloseTo(wanted.stdErr, 10);
    else expect(found.stdErr).toBeNaN();
  }
}

it('doubly robust values use rewards predicted from the other half of the users', async () => {
  await fc.assert(
    fc.asyncProperty(aWorld, async (world) => {
      const events = eventsOf(world);
      expectDefined((await evaluated(events, options)).windows[0].values!, world);
      for (const partitions of [1, 3]) expectDefined(streamed(events, partitions), world);
    }),
    { numRuns: repetitions(3, 100) },
  );
});
