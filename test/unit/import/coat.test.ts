import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import { importDataset } from '../../../src/commands/import/import.js';
import { needsData, publishedData } from '../../support/published-data.js';
import { type Imported, imported, isExposure, isInTimeOrder, isInteraction } from './imported.js';

const folder = publishedData('coat');

describe('Coat as events', needsData('coat'), () => {
  let coat: Imported;
  beforeAll(async () => {
    coat = await imported('coat', folder as string, { apart: true });
  });

  /** Per user: gain at 10 and weight of each positive test rating, from the events alone. */
  function windowRows(model: string, gamma: number): { gain: number; weight: number }[][] {
    const counts = new Map<string, number>();
    for (const { item } of coat.train.filter(isInteraction)) {
      counts.set(item, (counts.get(item) ?? 0) + 1);
    }
    const lists = new Map(
      coat.events.filter(isExposure).map((e) => [`${e.model} ${e.user}`, e.items]),
    );
    const users = new Map<string, { gain: number; weight: number }[]>();
    for (const { user, item, value } of coat.events.filter(isInteraction)) {
      if (value < 4) continue;
      const rank = lists.get(`${model} ${user}`)?.indexOf(item) as number;
      const weight = (counts.get(item) as number) ** (-(gamma + 1) / 2);
      const gain = rank >= 0 && rank < 10 ? 1 : 0;
      users.set(user, [...(users.get(user) ?? []), { gain, weight }]);
    }
    return [...users.values()];
  }

  const ratio = (rows: { gain: number; weight: number }[]) =>
    rows.reduce((sum, r) => sum + r.gain * r.weight, 0) /
    rows.reduce((sum, r) => sum + r.weight, 0);

  test('give the published numbers of the popularity ranker', () => {
    const naive = windowRows('popularity', -1);
    const snips = windowRows('popularity', 2);
    expect(naive.length).toBe(225);
    expect(naive.reduce((sum, rows) => sum + ratio(rows), 0) / 225).toBeCloseTo(0.0699101, 6);
    expect(snips.reduce((sum, rows) => sum + ratio(rows), 0) / 225).toBeCloseTo(0.0358372, 6);
    expect(ratio(naive.flat())).toBeCloseTo(0.0650195, 6);
  });

  test('hold all train ratings and the test ratings of pairs that are not in train', () => {
    const train = coat.train.map((event) => {
      const { user, item } = event as { user: string; item: string };
      return `${user} ${item}`;
    });
    expect(train.length).toBe(6960);
    const test = coat.events.filter(isInteraction);
    expect(test.length).toBe(4640 - 366);
    expect(test.some(({ user, item }) => train.includes(`${user} ${item}`))).toBe(false);
    const cells = readFileSync(join(folder as string, 'test.ascii'), 'utf8')
      .trim()
      .split('\n');
    for (const { user, item, value } of test.slice(0, 300)) {
      const row = cells[Number(user.slice(1))].trim().split(' ');
      expect(Number(row[Number(item.slice(1))])).toBe(value);
    }
  });

  test('rank all items except the user’s own by mean rating, then by id', () => {
    const sums = new Map<string, { sum: number; n: number }>();
    for (const { item, value } of coat.train.filter(isInteraction)) {
      const { sum, n } = sums.get(item) ?? { sum: 0, n: 0 };
      sums.set(item, { sum: sum + value, n: n + 1 });
    }
    const mean = (item: string) => {
      const { sum, n } = sums.get(item) as { sum: number; n: number };
      return sum / n;
    };
    const lists = coat.events.filter(isExposure).filter((e) => e.model === 'mean-rating');
    expect(lists.length).toBe(290);
    for (const { user, items, candidates, shown } of lists.slice(0, 40)) {
      const own = new Set(
        coat.train
          .filter(isInteraction)
          .filter((e) => e.user === user)
          .map((e) => e.item),
      );
      const expected = [...sums.keys()]
        .filter((item) => !own.has(item))
        .sort((a, b) => mean(b) - mean(a) || (a < b ? -1 : 1));
      expect(items).toEqual(expected);
      expect(candidates).toBe(expected.length);
      expect(shown).toBe(false);
    }
  });

  test('are in event-time order in one file, with train before the rest', async () => {
    const { events } = await imported('coat', folder as string);
    expect(events).toEqual([...coat.train, ...coat.events]);
    expect(isInTimeOrder(events)).toBe(true);
    expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  });

  test('have lists of the requested length', async () => {
    const { events } = await imported('coat', folder as string, { listLength: 10 });
    const whole = coat.events.filter(isExposure);
    events.filter(isExposure).forEach((list, i) => {
      expect(list.items).toEqual(whole[i].items.slice(0, 10));
      expect(list.candidates).toBe(whole[i].candidates);
    });
  });
});

describe('features of Coat', needsData('coat'), () => {
  const out = mkdtempSync(join(tmpdir(), 'unskew-features-'));
  afterAll(() => rmSync(out, { recursive: true }));

  it('are tables with the ids of the events and a column per feature', async () => {
    const users = join(out, 'users.csv');
    const items = join(out, 'items.csv');
    await importDataset('coat', folder as string, {
      out: join(out, 'coat.ndjson'),
      userFeatures: users,
      itemFeatures: items,
    });
    const [head, first, ...rest] = readFileSync(users, 'utf8').trim().split('\n');
    expect(head.split(',')).toHaveLength(15);
    expect(head.startsWith('id,gender:men,gender:women,age:20-30,')).toBe(true);
    expect(first).toBe('u000,0,1,1,0,0,0,0,0,0,0,1,0,0,1');
    expect(rest).toHaveLength(289);
    const rows = readFileSync(items, 'utf8').trim().split('\n');
    expect([rows.length, rows[300].split(',')[0], rows[300].split(',').length]).toEqual([
      301,
      'i299',
      34,
    ]);
  });
});
