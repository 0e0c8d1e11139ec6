import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { publishedData } from '../../support/published-data.js';
import { type Imported, imported, isExposure, isInTimeOrder, isInteraction } from './imported.js';

const folder = publishedData('open-bandit');

describe.skipIf(folder === undefined)('Open Bandit as events', () => {
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
    'carry every row of %s as an exposure with its propensity and place',
    (policy, model, randomized) => {
      const exposures = [...bandit.train, ...bandit.events]
        .filter(isExposure)
        .filter((e) => e.model === model);
      const rows = rowsOf(policy);
      expect(exposures.length).toBe(10_000);
      exposures.forEach((exposure, i) => {
        expect(exposure.items).toEqual([rows[i][2]]);
        expect(exposure.propensities).toEqual([Number(rows[i][5])]);
        expect(exposure.randomized).toBe(randomized);
        expect(exposure.firstRank).toBe(Number(rows[i][3]) - 1);
        const ms = Date.parse(`${rows[i][1].slice(0, 23).replace(' ', 'T')}Z`);
        expect(exposure.ts).toBe(ms);
      });
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

  test('are held out from the time on at which four fifths of the impressions are reached', () => {
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
    const lists = bandit.events.filter(isExposure).filter((e) => e.shown === false);
    expect(lists.length).toBe(8_000);
    for (const { model, items, candidates } of lists) {
      expect(items).toEqual(expected[model]);
      expect(candidates).toBe(34);
    }
    expect(bandit.train.filter(isExposure).some((e) => e.shown === false)).toBe(false);
  });

  test('have ids of their own and stand in time order', () => {
    const all = [...bandit.train, ...bandit.events];
    expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
    expect(isInTimeOrder(all)).toBe(true);
  });
});
