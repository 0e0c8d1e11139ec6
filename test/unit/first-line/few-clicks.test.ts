import { expect, it } from 'vitest';
import { printedOf } from '../../support/first-line.js';
import { besideEachOther, servedBy } from '../../support/served-logs.js';

/** The cells of the table that `evaluate` opens with, by model. */
async function rowsOf(events: Parameters<typeof printedOf>[0]['events']) {
  const lines = (await printedOf({ events, all: false })).split('\n');
  const cells = lines
    .filter((line) => line.startsWith('  '))
    .map((line) => line.trim().split(/ {2,}/));
  return Object.fromEntries(cells.map(([model = '', ...own]) => [model, own]));
}

/** Lists of one more model, which nobody clicks. */
const unclicked = () =>
  servedBy('tiny').flatMap((event) =>
    event.type === 'exposure' ? [{ ...event, id: `t${event.id}`, user: `t${event.user}` }] : [],
  );

it('an arm without clicks in an A/B test is marked "too few clicks"', async () => {
  const split = servedBy('control').map((event) => {
    const model = Number(event.user.slice(1)) % 2 === 0 ? 'control' : 'treatment';
    return event.type === 'exposure' ? { ...event, model } : event;
  });
  const events = [...split, ...unclicked().slice(0, 20)].sort((a, b) => a.ts - b.ts);
  const rows = await rowsOf(events);
  expect(rows['tiny']).toEqual(['too few clicks', '–', '–', '–']);
  expect(rows['control']![0]).toMatch(/^\d\.\d+$/);
  expect(rows['treatment']![0]).toMatch(/^\d\.\d+$/);
}, 60_000);

it('a model without clicks is marked "too few clicks", next to models with an interval', async () => {
  const events = [...besideEachOther(), ...unclicked()].sort((a, b) => a.ts - b.ts);
  const rows = await rowsOf(events);
  expect(rows['tiny']![0]).toBe('too few clicks');
  expect(rows['a']![0]).toMatch(/^0\.\d+ \(0\.\d+ to 0\.\d+\)$/);
}, 60_000);

it.each([29, 30])(
  'a value is shown from 30 clicks on: %s clicks',
  async (clicks) => {
    let left = clicks;
    const events = servedBy('only').filter(({ type }) => type === 'exposure' || left-- > 0);
    const [cell] = (await rowsOf(events))['only']!;
    if (clicks < 30) expect(cell).toBe('too few clicks');
    else expect(cell).toMatch(/^0\.033 \(0\.\d+ to 0\.\d+\)$/);
  },
  60_000,
);
