import { expect, it } from 'vitest';
import { printedOf } from '../../support/first-line.js';
import { besideEachOther, servedBy } from '../../support/served-logs.js';

/** Random lists under a model name of their own, without half of those that nobody clicked. */
function randomLists() {
  const lists = servedBy('shuffled').map((event) =>
    event.type === 'exposure'
      ? { ...event, id: `s${event.id}`, randomized: true }
      : { ...event, id: `s${event.id}`, exposure: `s${event.exposure}` },
  );
  const clicked = new Set(lists.flatMap((own) => ('exposure' in own ? [own.exposure] : [])));
  return lists.filter((own, n) => own.type !== 'exposure' || clicked.has(own.id) || n % 2 === 0);
}

it('a model that served only random lists is last in the table, with its reward named as such', async () => {
  const events = [...besideEachOther(), ...randomLists()].sort((a, b) => a.ts - b.ts);
  const rows = (await printedOf({ events, all: false }))
    .split('\n')
    .filter((line) => /^ +(a|b|shuffled|model) /.test(line))
    .map((line) => line.trim().split(/ {2,}/).slice(0, 2));
  expect(rows.map(([model]) => model)).toEqual(['model', 'a', 'b', 'shuffled']);
  expect(rows[3]![1]).toMatch(/^0\.\d\d, random lists$/);
  expect(Number(rows[3]![1]!.slice(0, 4))).toBeGreaterThan(Number(rows[1]![1]!.slice(0, 4)));
});

it('rewards of random lists are compared if every list is random', async () => {
  const events = besideEachOther().map((event) =>
    event.type === 'exposure' ? { ...event, randomized: true } : event,
  );
  expect(await printedOf({ events, all: false })).not.toContain('random lists');
});

it('rewards of random lists do not round those of other models', async () => {
  const fewClicks = besideEachOther().filter(
    ({ type, id }) => type === 'exposure' || Number(id.slice(2)) % 6 === 0,
  );
  const events = [...fewClicks, ...randomLists()].sort((a, b) => a.ts - b.ts);
  const said = await printedOf({ events, all: false });
  expect(said).toMatch(/^ +a +0\.0\d\d \(/m);
  expect(said).toMatch(/^ +shuffled +0\.\d\d, random lists/m);
});
