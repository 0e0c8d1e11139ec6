import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { LoggedLists } from '../../../src/features/values/logged/logged-lists.js';
import { valueByPropensities } from '../../../src/features/values/logged/value-by-propensities.js';
import { needsData, publishedData } from '../../support/published-data.js';
import { type Imported, imported, isExposure, isInTimeOrder, isInteraction } from './imported.js';

const folder = publishedData('open-bandit');

describe('Open Bandit as events', needsData('open-bandit'), () => {
  let bandit: Imported;
  beforeAll(async () => {
    bandit = await imported('open-bandit', folder as string, { apart: true });
  });

  const rowsOf = (policy: string) =>
    readFileSync(join(folder as string, policy, 'men.csv'), 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((row) => row.split(','));

  test.each([
    ['bts', 'bts', undefined],
    ['random', 'uniform', true],
  ])(
    'carry every row of %s as an exposure with its propensity and position',
    (policy, model, randomized) => {
      const exposures = [...bandit.train, ...bandit.events]
        .filter(isExposure)
        .filter((e) => e.model === model && e.shown !== false);
      const rows = rowsOf(policy);
      expect(exposures.length).toBe(10_000);
      // Compared at once: an assertion for each field of each row takes most of the time.
      const said = exposures.map(({ id, ts, items, propensities, firstRank, ...rest }) =>
        JSON.stringify([
          ts,
          items,
          propensities,
          firstRank,
          rest.randomized,
          rest.share,
          rest.request === id,
          rest.depth,
          rest.propensityOf,
        ]),
      );
      const logged = rows.map(([, time, item, place, , chance]) =>
        JSON.stringify([
          Date.parse(`${time.slice(0, 23).replace(' ', 'T')}Z`),
          [item],
          [Number(chance)],
          Number(place) - 1,
          randomized,
          undefined,
          true,
          1,
          'slot',
        ]),
      );
      expect(said).toEqual(logged);
      const clicks = [...bandit.train, ...bandit.events]
        .filter(isInteraction)
        .filter((e) => e.user.startsWith(`ob-${model}-`));
      expect(clicks.map(({ item }) => item)).toEqual(
        rows.filter((row) => row[4] === '1').map((row) => row[2]),
      );
      const shown = new Map(exposures.map((e) => [e.id, e]));
      for (const { user, item, exposure, ts } of clicks) {
        expect(shown.get(exposure as string)).toMatchObject({ user, items: [item], ts });
      }
    },
  );

  test('are held out after four fifths of the impressions', () => {
    const shown = (event: { readonly shown?: boolean }) => event.shown !== false;
    expect(bandit.train.filter(isExposure).filter(shown).length).toBe(16_000);
    expect(bandit.events.filter(isExposure).filter(shown).length).toBe(4_000);
    const last = bandit.train.at(-1)?.ts as number;
    expect(bandit.events[0].ts).toBeGreaterThan(last);
  });

  test('give each held-out impression the lists of both rankers, trained on the train part', () => {
    const shows = new Map<string, number>();
    const clicks = new Map<string, number>();
    for (const event of bandit.train) {
      if (isExposure(event) && event.shown === false) continue;
      const map = isExposure(event) ? shows : clicks;
      const item = isExposure(event) ? event.items[0] : event.item;
      map.set(item, (map.get(item) ?? 0) + 1);
    }
    const ranked = (score: (item: string) => number) =>
      [...shows.keys()].sort((a, b) => score(b) - score(a) || (a < b ? -1 : 1));
    const expected: Record<string, string[]> = {
      popularity: ranked((item) => clicks.get(item) ?? 0),
      'mean-rating': ranked((item) => (clicks.get(item) ?? 0) / (shows.get(item) as number)),
    };
    const lists = bandit.events
      .filter(isExposure)
      .filter((e) => e.shown === false && e.model !== 'uniform');
    expect(lists.length).toBe(8_000);
    for (const { id, model, items, candidates, request, depth } of lists) {
      expect(items).toEqual(expected[model]);
      expect(candidates).toBe(34);
      expect([`${request}-${model}`, depth]).toEqual([id, 3]);
    }
    const before = bandit.train.filter(isExposure).filter((e) => e.shown === false);
    expect(before.every(({ model }) => model === 'uniform')).toBe(true);
  });

  test('give each bts impression an item drawn uniformly for the same position', () => {
    const all = [...bandit.train, ...bandit.events].filter(isExposure);
    const shown = new Map(all.filter((e) => e.model === 'bts').map((e) => [e.id, e]));
    const drawn = all.filter((e) => e.model === 'uniform' && e.shown === false);
    expect(drawn.length).toBe(10_000);
    const counts = new Map<string, number>();
    for (const { items, request, firstRank, randomized, candidates, depth } of drawn) {
      expect({ firstRank, randomized, candidates, depth }).toEqual({
        firstRank: shown.get(request!)!.firstRank,
        randomized: true,
        candidates: 34,
        depth: 1,
      });
      counts.set(items[0], (counts.get(items[0]) ?? 0) + 1);
    }
    expect(counts.size).toBe(34);
    // 294 expected; 5 standard errors.
    for (const count of counts.values()) expect(Math.abs(count - 294)).toBeLessThan(85);
  });

  /** What a policy's lists say, each request its own user, for lists drawn at random. */
  const loggedBy = (policy: string): LoggedLists => {
    const all = [...bandit.train, ...bandit.events];
    const lists = all
      .filter(isExposure)
      .filter(({ model, shown }) => model === policy && shown !== false);
    const rewards = new Map(all.filter(isInteraction).map((each) => [each.exposure, each.value]));
    const index = lists.map((_, n) => n);
    return {
      requests: lists.length,
      cluster: index,
      clusters: lists.length,
      places: 1,
      length: lists.length,
      request: index,
      rank: index.map(() => 0),
      reward: lists.map(({ id }) => rewards.get(id) ?? 0),
      propensity: lists.map(({ propensities }) => propensities![0]),
      propensityOf: lists[0].propensityOf!,
      target: lists.map(({ candidates }) => 1 / candidates!),
    };
  };

  test('give reward per request, and that of uniform estimated from bts', () => {
    for (const [policy, value, stdErr] of [
      ['bts', 0.0069, 0.000828],
      ['uniform', 0.0046, 0.000677],
    ] as const) {
      const log = loggedBy(policy);
      // With the logger as its own target every weight is 1.
      const [own] = valueByPropensities(policy, { ...log, target: log.propensity });
      expect(own.value).toBeCloseTo(value, 9);
      expect(own.stdErr).toBeCloseTo(stdErr, 6);
    }
    const [ips, snips] = valueByPropensities('uniform', loggedBy('bts'));
    expect(ips.value).toBeCloseTo(0.003008626, 9);
    expect(ips.stdErr).toBeCloseTo(0.000773935, 9);
    expect(snips.value).toBeCloseTo(0.003189423, 9);
    expect(snips.stdErr).toBeCloseTo(0.000827823, 9);
    expect(ips.ess).toBeCloseTo(15.1, 1);
    expect([ips.decides, snips.decides]).toEqual([false, false]);
  });

  test('have unique ids and are in time order', () => {
    const all = [...bandit.train, ...bandit.events];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(isInTimeOrder(all)).toBe(true);
  });
});
