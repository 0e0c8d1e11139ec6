import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { LearnedPropensities } from '../../src/estimators/propensity/learned-propensities.js';
import type { InteractionEvent } from '../../src/events/encode.js';
import type { SetPlan } from '../../src/export/set-plan.js';
import { drawnSet } from '../oracle/drawn-set.js';
import { repetitions } from '../support/repetitions.js';
import { drawn, PLAN } from '../support/sets.js';

const event = fc.record({
  user: fc.integer({ min: 0, max: 9 }).map((n) => `u${n}`),
  item: fc.integer({ min: 0, max: 14 }).map((n) => `i${n}`),
  value: fc.constantFrom(0, 1, 2),
  ts: fc.integer({ min: 0, max: 1000 }),
  randomized: fc.boolean(),
});

/** Times differ, so the time alone determines which event of a pair is the first. */
const log = fc.array(event, { minLength: 60, maxLength: 160 }).map((events) =>
  events.map(
    (row, n): InteractionEvent => ({
      ...row,
      type: 'interaction',
      id: `e${n}`,
      ts: row.ts * 1000 + n,
    }),
  ),
);

const plan = fc
  .record({
    strategy: fc.constantFrom('full', 'reg', 'skew', 'wtd', 'wtd_h'),
    share: fc.double({ min: 0.2, max: 0.8, noNaN: true }),
    seed: fc.nat(),
    exponent: fc.constantFrom(0, 1, 2),
    part: fc.constantFrom('test', 'train'),
    from: fc.constantFrom(null, 100_000),
    to: fc.constantFrom(null, 900_000),
  })
  .map(
    ({ strategy, share, ...rest }): SetPlan => ({
      ...PLAN,
      ...rest,
      strategy,
      size: { share: strategy === 'full' ? 1 : share },
    }),
  );

const drawable = ({ strategy, part, split }: SetPlan, events: readonly InteractionEvent[]) => {
  const inRange = events.filter(({ randomized }) => !randomized).length;
  const hasTargets = events.some(({ randomized }) => randomized);
  return inRange > 40 && (strategy !== 'wtd' || hasTargets) && part !== null && split !== null;
};

/** P of a pair by the last figures of its ids and its value, as no product of sides; some unknown. */
function propensityOf(user: string, item: string, value: number): number {
  const u = Number(user.slice(1));
  const i = Number(item.slice(1));
  return u === 7 || i === 3 ? 0 : (1 + ((u * i) % 11) + value) / 20;
}

const LEARNED: LearnedPropensities = {
  kind: 'lr',
  userOf: (id) => (id === 'u7' ? -1 : Number(id.slice(1))),
  itemOf: (id) => (id === 'i3' ? -1 : Number(id.slice(1))),
  propensity: (user, item, rating) =>
    user < 0 || item < 0 ? Number.NaN : propensityOf(`u${user}`, `i${item}`, rating),
};

describe('a drawn set', () => {
  it('holds the rows of its definition with their weights', async () => {
    await fc.assert(
      fc.asyncProperty(log, plan, async (events, how) => {
        fc.pre(drawable(how, events));
        const expected = drawnSet(events, how);
        fc.pre(expected.length > 0);
        const { rows, summary } = await drawn(events, how);
        const found = rows
          .map(({ user, item, ts, weight }) => ({ key: `${user} ${item}`, ts, weight }))
          .sort((a, b) => (a.key < b.key ? -1 : 1));
        expect(found.map(({ key, ts }) => ({ key, ts }))).toEqual(
          expected.map(({ key, ts }) => ({ key, ts })),
        );
        found.forEach(({ weight }, r) => {
          expect(weight / expected[r].weight).toBeCloseTo(1, 12);
        });
        expect(summary.drawn).toBe(expected.length);
      }),
      { numRuns: repetitions(30, 60) },
    );
  });

  it('by propensities from a file holds the rows of its definition', async () => {
    const stamp = { kind: 'lr', version: '1', date: '2026-01-01T00:00:00Z' } as const;
    await fc.assert(
      fc.asyncProperty(log, plan, async (events, { strategy: _, ...more }) => {
        const how: SetPlan = {
          ...more,
          strategy: 'wtd_h',
          size: { share: 0.3 },
          propensities: stamp,
        };
        fc.pre(drawable(how, events));
        const expected = drawnSet(events, how, propensityOf);
        fc.pre(expected.length > 0);
        const { rows } = await drawn(events, how, { learned: LEARNED });
        const found = rows.map(({ user, item, ts, weight }) => ({
          key: `${user} ${item}`,
          ts,
          weight,
        }));
        expect(found.sort((a, b) => (a.key < b.key ? -1 : 1))).toEqual(expected);
        for (const row of rows) expect(row.userSide * row.itemSide).toBe(row.weight);
      }),
      { numRuns: repetitions(15, 40) },
    );
  });

  it('is the same row by row for any order, batches, repeats and memory limit', async () => {
    const strategies = fc.constantFrom('wtd_h', 'wtd_ipf', 'skew');
    await fc.assert(
      fc.asyncProperty(
        log,
        strategies,
        fc.array(fc.nat(), { minLength: 160, maxLength: 160 }),
        fc.integer({ min: 1, max: 50 }),
        async (events, strategy, shuffle, batch) => {
          fc.pre(drawable(PLAN, events));
          const straight = await drawn(events, { strategy });
          const mixed = events
            .map((one, n) => ({ one, at: shuffle[n] }))
            .sort((a, b) => a.at - b.at)
            .map(({ one }) => one);
          const again = await drawn(
            [...mixed, ...mixed.slice(0, 20)],
            { strategy },
            {
              batch,
              memoryBytes: 1,
            },
          );
          expect(again.spilled).toBe(true);
          expect(again.rows).toEqual(straight.rows);
          const { leftOut, ...rest } = again.summary;
          const { leftOut: before, ...straightRest } = straight.summary;
          expect(rest).toEqual(straightRest);
          expect(leftOut).toEqual({ ...before, duplicate: 20 });
        },
      ),
      { numRuns: repetitions(8, 40) },
    );
  });

  it('is a subset of a larger drawn set', async () => {
    await fc.assert(
      fc.asyncProperty(log, async (events) => {
        fc.pre(drawable(PLAN, events));
        const small = await drawn(events, { size: { share: 0.3 } });
        const large = await drawn(events, { size: { share: 0.7 } });
        const names = new Set(large.rows.map(({ user, item }) => `${user} ${item}`));
        for (const { user, item } of small.rows) expect(names).toContain(`${user} ${item}`);
      }),
      { numRuns: repetitions(8, 20) },
    );
  });
});
