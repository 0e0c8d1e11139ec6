import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  ExposureColumns,
  HAS_PROPENSITIES,
  InteractionColumns,
  LATE,
  NAMES_EXPOSURE,
  POSITIVE,
  RANDOMIZED,
  SHOWN,
} from '../../src/events/columns.js';
import { hashBytes } from '../../src/events/hash.js';
import type { SparseCounts } from '../../src/state/counts/sparse-counts.js';
import { Interner } from '../../src/state/ids/interner.js';
import { UserDepths } from '../../src/state/ids/user-depths.js';
import { groupByUser } from '../../src/state/panes/group-by-user.js';
import type { PaneContent } from '../../src/state/panes/pane-content.js';
import { PartitionState } from '../../src/state/panes/partition.js';
import type { PaneLimits } from '../../src/state/panes/sample-level.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { dropLevels, sampleLevel } from '../../src/stream/tick/sample-limits.js';
import { slowLevel, usersOfDepths } from '../oracle/sampling.js';
import { repetitions } from '../support/repetitions.js';

const PANE = 1000;
const PANES = 16;
const TIMES = {
  tickMs: PANE,
  windows: [{ name: 'w', ms: 3 * PANE }],
  attributionTtlMs: 2 * PANE,
  popularity: { horizonMs: 6 * PANE, of: 'positive' as const },
};
const MODELS = [0, 1];
const ITEMS = 7;

/** So many of each depth that a level of 3 still keeps some. */
const USERS = usersOfDepths([6, 4, 3, 2, 1]);

const anEvent = fc.record({
  /** No two events of a pane at the same time: their order would be that of the arrival. */
  pane: fc.nat(PANES - 1),
  user: fc.nat(USERS.length - 1),
  isLate: fc.nat(9).map((n) => n === 0),
  isRandomized: fc.nat(3).map((n) => n === 0),
  what: fc.oneof(
    fc.record({
      kind: fc.constant('exposure' as const),
      model: fc.constantFrom(...MODELS),
      items: fc.shuffledSubarray([...Array(ITEMS).keys()], { minLength: 1 }),
      isShown: fc.boolean(),
      isLogged: fc.boolean(),
    }),
    fc.record({
      kind: fc.constant('interaction' as const),
      item: fc.nat(ITEMS - 1),
      isPositive: fc.boolean(),
      names: fc.option(fc.nat(60), { nil: undefined }),
    }),
  ),
});
type Event = typeof anEvent extends fc.Arbitrary<infer E> ? E : never;

const someLimits = fc.record({
  rows: fc.constantFrom(2, 4, 8, Number.POSITIVE_INFINITY),
  listEntries: fc.constantFrom(6, 15, Number.POSITIVE_INFINITY),
  users: fc.constantFrom(2, 5, 9, Number.POSITIVE_INFINITY),
});
const someEvents = fc.array(anEvent, { minLength: 40, maxLength: 160, size: 'max' });

function userTable(): Interner {
  const users = new Interner();
  for (const user of USERS) {
    const bytes = new TextEncoder().encode(user);
    users.intern(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  }
  return users;
}

function stateWith(limits?: PaneLimits): PartitionState {
  return new PartitionState({
    paneMs: PANE,
    attributionTtlMs: TIMES.attributionTtlMs,
    horizonMs: TIMES.popularity.horizonMs,
    depths: new UserDepths(userTable()),
    ...(limits && { limits }),
  });
}

/** Event n of the log: n also is its place in time within the pane, and its id. */
function add(state: PartitionState, { pane, user, isLate, isRandomized, what }: Event, n: number) {
  const flags = (isLate ? LATE : 0) | (isRandomized ? RANDOMIZED : 0);
  const ts = pane * PANE + n;
  if (what.kind === 'exposure') {
    const columns = new ExposureColumns();
    Object.assign(columns, { length: 1 });
    columns.ts[0] = ts;
    columns.user[0] = user;
    columns.model[0] = what.model;
    columns.idHigh[0] = 7;
    columns.idLow[0] = n;
    columns.candidates[0] = -1;
    columns.items.set(what.items);
    columns.listStart[1] = what.items.length;
    columns.propensities = Float32Array.from(what.items, (item) => 1 / (item + 2));
    const logged = what.isLogged ? HAS_PROPENSITIES : 0;
    state.openPane(pane).addExposure(columns, 0, flags | logged | (what.isShown ? SHOWN : 0));
    return;
  }
  const columns = new InteractionColumns();
  columns.ts[0] = ts;
  columns.user[0] = user;
  columns.item[0] = what.item;
  columns.exposureHigh[0] = 7;
  columns.exposureLow[0] = what.names ?? 0;
  const named = what.names === undefined ? 0 : NAMES_EXPOSURE;
  state.openPane(pane).addInteraction(columns, 0, flags | named | (what.isPositive ? POSITIVE : 0));
}

function addAll(state: PartitionState, events: readonly Event[]): void {
  for (const [n, event] of events.entries()) add(state, event, n);
}

function byId({ ids, counts }: SparseCounts) {
  return [...ids].map((id, j) => [id, counts[j]!] as const).sort(([a], [b]) => a - b);
}

/** What of a pane's content is of all traffic. */
function popularityOf({ counts }: PaneContent, withRandomized: boolean) {
  return {
    interactions: byId(counts.interactions),
    positives: byId(counts.positives),
    listed: byId(counts.listed),
    exposures: MODELS.map((m) =>
      byId(counts.exposures[m] ?? { ids: new Int32Array(), counts: new Int32Array() }),
    ),
    randomized: withRandomized ? byId(counts.randomized) : [],
  };
}

/** All that a tick reads of the users who lie so deep. */
function readAt(state: PartitionState, pane: number, level: number) {
  const sampled = state.closed.sampled(level);
  const firstPane = pane - 2;
  const rows = sampled.rows.filter((each) => each.pane >= firstPane && each.pane <= pane);
  const traffic = sampled.randomizedTraffic(firstPane, pane);
  const part = groupByUser(rows, MODELS, state.closed.userCounts.counts, {
    ...traffic,
    counts: new Int32Array(),
  });
  const reach = runAtOnce(state.reach((pane - 1) * PANE, (pane + 1) * PANE, ITEMS, level));
  const { randomizedItems, propensity, ...columns } = part;
  const logged = propensity ?? new Float32Array(part.rows);
  return { columns, logged, reach, randomizedItems };
}

describe('a state with limits', () => {
  it('holds for its sampled users the same data as without limits', () => {
    let highest = 0;
    fc.assert(
      fc.property(someEvents, someLimits, fc.boolean(), (drawn, limits, isNamed) => {
        const events = drawn.map(
          (event): Event =>
            isNamed || event.what.kind === 'exposure'
              ? event
              : { ...event, what: { ...event.what, names: undefined } },
        );
        const sampled = stateWith(limits);
        const whole = stateWith();
        for (const state of [sampled, whole]) addAll(state, events);
        for (let pane = 0; pane < PANES; pane++) {
          const [some, all] = [sampled, whole].map((state) => runAtOnce(state.close(pane)));
          // Only the attributed list may show whether an interaction is randomised.
          expect(popularityOf(some!, !isNamed)).toEqual(popularityOf(all!, !isNamed));
          for (const state of [sampled, whole]) {
            state.closed.dropRowsBefore(pane - 2);
            dropLevels(state.closed, pane, TIMES);
          }
          const level = sampleLevel(sampled.closed, pane, TIMES);
          highest = Math.max(highest, level);
          const { randomizedItems, ...read } = readAt(sampled, pane, level);
          const { randomizedItems: wantedItems, ...wanted } = readAt(whole, pane, level);
          expect(read).toEqual(wanted);
          // That lists are missing may be known by those alone who are not in the sample.
          if (!Number.isNaN(wantedItems)) expect(randomizedItems).toBe(wantedItems);
        }
      }),
      { numRuns: repetitions(20, 300) },
    );
    // The limits did bite.
    expect(highest).toBeGreaterThan(2);
  });

  it('has the sampling level that a pane’s events require, in any order', () => {
    fc.assert(
      fc.property(
        someEvents,
        someLimits,
        fc.infiniteStream(fc.nat(1e6)),
        (events, limits, keys) => {
          const order = events
            .map((event, n) => ({ event, n, key: keys.next().value }))
            .sort((a, b) => a.key - b.key);
          const forwards = stateWith(limits);
          const shuffled = stateWith(limits);
          addAll(forwards, events);
          for (const { event, n } of order) add(shuffled, event, n);
          for (let pane = 0; pane < PANES; pane++) {
            const own = events.filter((event) => event.pane === pane);
            const weighed = own.map(({ user, what }) => ({
              user: USERS[user]!,
              size: what.kind === 'exposure' ? what.items.length : 1,
              kind: what.kind,
            }));
            const [one, other] = [forwards, shuffled].map((state) => runAtOnce(state.close(pane)));
            expect(one!.levels.rows).toBe(
              Math.max(
                slowLevel(
                  weighed.filter(({ kind }) => kind === 'interaction'),
                  limits.rows,
                ),
                slowLevel(
                  weighed.filter(({ kind }) => kind === 'exposure'),
                  limits.listEntries,
                ),
              ),
            );
            expect(other!.levels).toEqual(one!.levels);
            expect(other!.rows).toEqual(one!.rows);
            expect(other!.counts.sampledOut).toEqual(one!.counts.sampledOut);
            expect(popularityOf(other!, true)).toEqual(popularityOf(one!, true));
          }
        },
      ),
      { numRuns: repetitions(20, 200) },
    );
  });

  it('drops users above the limit and recovers once the horizon has passed', () => {
    const limits = { rows: 1e9, listEntries: 1e9, users: 7 };
    const state = stateWith(limits);
    const visit = (pane: number, users: number) => {
      for (let user = 0; user < users; user++) {
        const what = { kind: 'interaction', item: 0, isPositive: true, names: undefined } as const;
        add(state, { pane, user, isLate: false, isRandomized: false, what }, user);
      }
      const { levels } = runAtOnce(state.close(pane));
      dropLevels(state.closed, pane, TIMES);
      const live = [...state.closed.userCounts.counts].filter((count) => count > 0).length;
      expect(live).toBeLessThanOrEqual(limits.users);
      return [levels.users, sampleLevel(state.closed, pane, TIMES)];
    };
    expect(visit(0, 7)).toEqual([0, 0]);
    // 10 of the 16 lie at least one deep, 6 of them at least two.
    expect(visit(1, 16)).toEqual([2, 2]);
    // The others of pane 1 are forgotten, and with them the level that the horizon asks for.
    expect(visit(2, 3)).toEqual([1, 2]);
    const later = Array.from({ length: 7 }, (_, n) => visit(3 + n, 1)[1]);
    // A horizon of six panes and a bucket of one: until pane 7, and until pane 8 for that of pane 2.
    expect(later).toEqual([2, 2, 2, 2, 2, 1, 0]);
  });
});
