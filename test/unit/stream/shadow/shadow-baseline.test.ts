import { describe, expect, it } from 'vitest';
import { implicitInSteps } from '../../../../src/learning/implicit/implicit-als.js';
import { ImplicitRanker } from '../../../../src/learning/implicit/implicit-ranker.js';
import { topItems } from '../../../../src/learning/rankers/ranker.js';
import { ratedBy, rowsByItem, rowsByUser } from '../../../../src/learning/ratings/rating-rows.js';
import { atOnce } from '../../../../src/learning/steps.js';
import { Random } from '../../../../src/simulation/random.js';
import { depthOf } from '../../../../src/state/ids/user-depths.js';
import type { MonitorOptions } from '../../../../src/stream/options.js';
import type { LearnedLists } from '../../../../src/stream/shadow/learned-lists.js';
import { type NamedList, packLists } from '../../../../src/stream/shadow/pack-lists.js';
import { ShadowBaseline } from '../../../../src/stream/shadow/shadow-baseline.js';
import type { Snapshot } from '../../../../src/stream/snapshot.js';
import { differences } from '../../../support/compare.js';
import { FOUR_REQUESTS, HALF_AND_HALF, TWO_PLACES } from '../../../support/golden-arms.js';
import { type Event, feed, smallOptions } from '../../../support/log.js';
import { requestEvents } from '../../../support/request-events.js';

const NAME = 'mf-ips';
const ITEMS = ['a', 'b', 'c', 'd', 'e'];
const POPULAR: NamedList = { items: ['e', 'a', 'b'], candidates: 5 };

interface Learned {
  readonly users: Readonly<Record<string, NamedList>>;
  readonly learnedTo?: number;
  readonly level?: number;
}

function lists({ users, learnedTo = 0, level = 0 }: Learned): LearnedLists {
  const pack = { learnedTo, level, popular: POPULAR, predictsRatings: true };
  return packLists(Object.entries(users), pack);
}

function baseline(learned: Learned, hasScores = false): ShadowBaseline {
  const shadow = new ShadowBaseline(NAME, hasScores);
  shadow.use(lists(learned));
  return shadow;
}

/** Lists of two models by turns, for seven users, and clicks after them. */
const LOG: readonly Event[] = Array.from({ length: 210 }, (_, n): Event => {
  const user = `u${n % 7}`;
  const ts = 1000 + n;
  if (n % 3 !== 0) {
    const value = 1 + (n % 5);
    return { type: 'interaction', id: `x${n}`, ts, user, item: ITEMS[(n * n) % 5]!, value };
  }
  const items = ['a', 'b', 'c', 'd'].slice(n % 2);
  const model = n % 2 === 0 ? 'live' : 'other';
  return { type: 'exposure', id: `e${n}`, ts, user, model, items, shown: model === 'live' };
});
const OWN: Readonly<Record<string, NamedList>> = Object.fromEntries(
  [0, 1, 2, 4, 5].map((u) => [
    `u${u}`,
    { items: [ITEMS[u % 5]!, ITEMS[(u + 2) % 5]!], scores: [4.5, 2 + u / 4], candidates: 4 },
  ]),
);

/** What a log says beside whose every list a model of that name made one, not shown. */
function withLists(
  log: readonly Event[],
  listOf: (user: string) => NamedList | undefined,
  learnedTo = 0,
): Event[] {
  return log.flatMap((event): Event[] => {
    if (event.type !== 'exposure' || (event.ts as number) < learnedTo) return [event];
    const list = listOf(event.user);
    if (list === undefined) return [event];
    const { items, candidates, scores } = list;
    const { ts, user } = event;
    return [
      event,
      {
        ...{ type: 'exposure', id: `s-${event.id}`, ts, user, model: NAME, items, candidates },
        ...{ shown: false, ...(scores && { scores }) },
      },
    ];
  });
}

const HOW = { partitions: 1, batchSize: 16, run: 1 };
const options = (overrides: Partial<MonitorOptions> = {}) => smallOptions(overrides);
const RATINGS: MonitorOptions['ratings'] = {
  ...{ metrics: ['mae', 'cg'], ks: [2], estimators: ['naive'], propensity: 'nb', smoothing: 1 },
  ...{ scale: { lowest: 1, highest: 5, step: 1 }, isCatalogueKnown: false },
};

describe('a learned baseline beside a log', () => {
  it('is the model that its lists in the log would make, with every number', () => {
    const settings = options({ ratings: RATINGS });
    const written = withLists(LOG, (user) => OWN[user] ?? POPULAR);
    for (const partitions of [1, 3]) {
      const how = { ...HOW, partitions };
      const shadow = baseline({ users: OWN }, true);
      const beside = feed(LOG, settings, { ...how, shadow });
      const expected = feed(written, settings, how);
      expect(differences(beside.snapshots, expected.snapshots, 0)).toEqual([]);
      expect(beside.snapshots.at(-1)!.models).toEqual(['live', NAME, 'other']);
      // They are no events of the log.
      expect(beside.outcomes.accepted).toBe(LOG.length);
      const given = LOG.filter(({ type }) => type === 'exposure').length;
      expect(shadow.counts.own + shadow.counts.popular).toBe(given);
      expect(shadow.counts.popular).toBeGreaterThan(0);
    }
  });

  it('takes part in the requests that lists name, once in each', () => {
    const golden = { models: HALF_AND_HALF.models, shares: [[1 / 2, 1 / 2, undefined]] };
    const log = requestEvents(FOUR_REQUESTS, golden);
    const made = log.flatMap((event) =>
      event.type === 'exposure' && event.model === 'S'
        ? [[event.user, { items: event.items, candidates: 4 }] as const]
        : [],
    );
    // In its place the baseline: each request has two other lists, and a user of its own.
    const others = log.filter((event) => event.type !== 'exposure' || event.model !== 'S');
    const shadow = new ShadowBaseline('S', false);
    shadow.use(lists({ users: Object.fromEntries(made) }));
    const settings = options({
      ...{ value: { horizonMs: 50, unit: 'request', theta: TWO_PLACES, isJudged: false } },
      windows: [{ name: 'w', ms: 1000 }],
    });
    const later: Event = { type: 'interaction', id: 'l', ts: 1_000_300, user: 'u', item: 'x' };
    const valuesOf = (events: readonly Event[], beside?: ShadowBaseline) =>
      feed([...events, later], settings, { ...HOW, shadow: beside }).snapshots.flatMap(
        ({ windows }) => windows[0]!.values ?? [],
      );
    const values = valuesOf(others, shadow);
    expect(differences(values, valuesOf(log), 0)).toEqual([]);
    expect(values.some(({ model, value }) => model === 'S' && value > 0)).toBe(true);
    expect(shadow.counts.own).toBe(FOUR_REQUESTS.length);
  });

  it('has no list of a time before the end of what it learned from', () => {
    const learnedTo = 1100;
    const shadow = baseline({ users: OWN, learnedTo });
    const { snapshots } = feed(LOG, options(), { ...HOW, shadow });
    const written = withLists(LOG, (user) => OWN[user] ?? POPULAR, learnedTo);
    const expected = feed(written, options(), HOW).snapshots;
    expect(differences(snapshots, expected, 0)).toEqual([]);
    const early = LOG.filter(({ type, ts }) => type === 'exposure' && (ts as number) < learnedTo);
    expect(shadow.counts.before).toBe(early.length);
    const first = snapshots.find(({ models }) => models.includes(NAME))!;
    expect(first.paneEnd).toBeGreaterThan(learnedTo);
  });

  it('leaves out users who were sampled out of the learning', () => {
    const isIn = (user: string) => depthOf(new TextEncoder().encode(user)) >= 1;
    const shadow = baseline({ users: OWN, level: 1 });
    const { snapshots } = feed(LOG, options(), { ...HOW, shadow });
    const written = withLists(LOG, (user) => (isIn(user) ? (OWN[user] ?? POPULAR) : undefined));
    expect(differences(snapshots, feed(written, options(), HOW).snapshots, 0)).toEqual([]);
    expect(shadow.counts.sampledOut).toBeGreaterThan(0);
  });

  it('counts lists once that come again', () => {
    const twice = LOG.flatMap((event) => [event, event]);
    const shadow = baseline({ users: OWN });
    const { outcomes } = feed(twice, options(), { ...HOW, shadow });
    expect(outcomes.duplicate).toBe(LOG.length);
    const given = LOG.filter(({ type }) => type === 'exposure').length;
    expect(shadow.counts.own + shadow.counts.popular).toBe(given);
  });

  it('gives way to a model of the log that has its name', () => {
    const log = LOG.map(
      (event): Event =>
        event.type === 'exposure' && event.model === 'other' ? { ...event, model: NAME } : event,
    );
    const shadow = baseline({ users: OWN });
    const { snapshots } = feed(log, options(), { ...HOW, batchSize: 1000, shadow });
    expect(shadow.isNameTaken).toBe(true);
    expect(differences(snapshots, feed(log, options(), HOW).snapshots, 0)).toEqual([]);
  });

  it('has no list that names an item which there is no room for', () => {
    const settings = options({ ids: { maxItems: 4 } });
    const users = { u0: { items: ['a', 'new'], candidates: 2 } };
    const shadow = baseline({ users });
    feed(LOG, settings, { ...HOW, shadow });
    expect(shadow.counts.itemsFull).toBeGreaterThan(0);
    expect(shadow.counts.own).toBe(0);
  });

  it('hands over to newer lists: each is used from the end of what it learned from on', () => {
    const shadow = baseline({ users: { u0: { items: ['a'], candidates: 1 } } });
    shadow.use(lists({ users: OWN, learnedTo: 1120 }));
    expect(shadow.lists!.learnedTo).toBe(1120);
    feed(LOG, options(), { ...HOW, shadow });
    const later = LOG.filter(({ type, ts }) => type === 'exposure' && (ts as number) >= 1120);
    expect(shadow.counts.own + shadow.counts.popular).toBe(later.length);
  });
});

/**
 * Clicks at random, so that no model can know anything of the next one. iALS that has seen a click
 * finds it again: evaluated on what it learned from, it looks like a good model.
 */
describe('a world in which there is nothing to learn', () => {
  const USERS = 60;
  const CATALOGUE = Array.from({ length: 40 }, (_, i) => `i${String(i).padStart(2, '0')}`);
  const random = new Random(5, 'clicks');
  const clicks = Array.from({ length: 1200 }, (_, n) => ({
    ts: 1000 + n * 2,
    user: Math.floor(random.next() * USERS),
    item: Math.floor(random.next() * CATALOGUE.length),
  }));
  const middle = 2400;
  const log = clicks.flatMap(({ ts, user, item }, n): Event[] => [
    {
      ...{ type: 'exposure', id: `e${n}`, ts, user: `u${user}`, model: 'live' },
      items: CATALOGUE.slice(0, 4),
    },
    { type: 'interaction', id: `x${n}`, ts: ts + 1, user: `u${user}`, item: CATALOGUE[item]! },
  ]);

  /** iALS of the clicks before a time, and its lists of four. */
  function learn(to: number): Readonly<Record<string, NamedList>> {
    const seen = clicks.filter(({ ts }) => ts < to);
    const pairs = new Map(seen.map(({ user, item }) => [user * 1000 + item, { user, item }]));
    const sorted = [...pairs].sort(([a], [b]) => a - b).map(([, pair]) => pair);
    const ratings = {
      ...{ users: USERS, items: CATALOGUE.length },
      user: Int32Array.from(sorted, ({ user }) => user),
      item: Int32Array.from(sorted, ({ item }) => item),
      rating: new Float64Array(sorted.length).fill(1),
    };
    const [byUser, byItem] = [rowsByUser(ratings), rowsByItem(ratings)];
    const fit = { size: 20, lambda: 0.1, sweeps: 20, seed: 1 };
    const factors = atOnce(implicitInSteps(byUser, byItem, fit));
    const ranker = new ImplicitRanker(factors, fit.size, fit.lambda, { from: 1, alpha: 1 });
    const scores = new Float64Array(CATALOGUE.length);
    const listOf = (user: number): NamedList => {
      const own = ratedBy(byUser, user);
      ranker.score({ ...own, weight: new Float64Array(own.item.length), known: -1 }, scores);
      // What was clicked on is not left out: that is what the model knows.
      const items = Array.from(topItems(scores, 4), (item) => CATALOGUE[item]!);
      return { items, candidates: CATALOGUE.length };
    };
    return Object.fromEntries(
      Array.from({ length: USERS }, (_, user) => [`u${user}`, listOf(user)]),
    );
  }

  function recall(snapshot: Snapshot): number {
    const row = snapshot.windows[0]!.results.find(
      ({ model, metric, k, estimator, form: aggregation }) =>
        model === NAME &&
        metric === 'recall' &&
        k === 4 &&
        estimator === 'naive' &&
        aggregation === 'pooled',
    );
    return row?.value ?? Number.NaN;
  }
  const window = { windows: [{ name: 'w', ms: 1200 }], tickMs: 1200, attributionTtlMs: 1200 };
  const settings = options({
    ...window,
    estimates: { ...options().estimates, metrics: ['recall'], ks: [4], estimators: ['naive'] },
  });
  /** The last window, which begins in the middle, or the one before it. */
  const evaluated = (shadow: ShadowBaseline, window = -1) =>
    recall(feed(log, settings, { ...HOW, shadow }).snapshots.at(window)!);

  it('shows a model that is evaluated on what it learned from as good, and ours as what it is', () => {
    const chance = 4 / CATALOGUE.length;
    // Learned from all of the window and let loose on it, as if it had not.
    const leaky = evaluated(baseline({ users: learn(Number.POSITIVE_INFINITY) }));
    expect(leaky).toBeGreaterThan(2 * chance);
    const users = learn(middle);
    const honest = evaluated(baseline({ users, learnedTo: middle }));
    expect(Math.abs(honest - chance)).toBeLessThan(0.04);
    // The same lists in the window that they learned from: there they would look good as well,
    expect(evaluated(baseline({ users }), -2)).toBeGreaterThan(2 * chance);
    // and are not looked at.
    expect(evaluated(baseline({ users, learnedTo: middle }), -2)).toBeNaN();
  });
});
