import { expect, it } from 'vitest';
import { printedOf } from '../../support/first-line.js';
import { servedBy } from '../../support/served-logs.js';

/** A log whose clicks name no list; this many of each hundred are on items of no list. */
function unnamed(model: string, elsewhere: number) {
  let clicks = 0;
  return servedBy(model).map((event) => {
    if (event.type !== 'interaction') return event;
    const { exposure: _, ...own } = event;
    const isElsewhere = clicks++ % 100 < elsewhere;
    return isElsewhere ? { ...own, item: `other${clicks % 7}` } : own;
  });
}

it.each(['control', 'treatment'])(
  'reports no recall of %s if all clicks are on its lists',
  async (model) => {
    const text = await printedOf({ events: unnamed(model, 0), all: false });
    expect(text).not.toMatch(/1\.000|leads/);
    expect(text).toContain(
      'recall is not reported: nearly all clicks without a list id are on items of served lists.',
    );
  },
  60_000,
);

it('gives no number of such recall with --all or in JSON either', async () => {
  const events = unnamed('treatment', 0);
  const text = await printedOf({ events, all: true });
  expect(text).toContain('Nearly all clicks without a list’s id are on items of served lists');
  expect(text).not.toContain('1.000');
  const { results } = JSON.parse(await printedOf({ events, json: true })) as {
    results: { value: number | null; withheld: string }[];
  };
  expect(results.length).toBeGreaterThan(0);
  expect(results.filter(({ value }) => value !== null)).toEqual([]);
  expect(new Set(results.map(({ withheld }) => withheld))).toEqual(new Set(['circular']));
}, 60_000);

it('reports recall where a tenth of the clicks are on other items', async () => {
  const text = await printedOf({ events: unnamed('treatment', 10), all: false });
  expect(text).toMatch(/treatment +0\.\d+/);
  expect(text).not.toContain('recall is not reported');
}, 60_000);

it('shows no clicks per list in an A/B test if no click names its list', async () => {
  const events = unnamed('control', 10).map((event) => {
    const model = Number(event.user.slice(1)) % 2 === 0 ? 'control' : 'treatment';
    return event.type === 'exposure' ? { ...event, model } : event;
  });
  const text = await printedOf({ events, all: false });
  expect(text).toContain('clicks/user');
  expect(text).not.toContain('clicks/list');
}, 60_000);
