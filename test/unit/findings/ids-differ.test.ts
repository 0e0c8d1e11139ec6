import { expect, it } from 'vitest';
import { windowFindings } from '../../../src/rows/findings/window-findings.js';
import { textOf } from '../../../src/rows/findings/words.js';
import { type Event, feed, smallOptions } from '../../support/log.js';
import { trustLog } from '../../support/trust-worlds.js';

const WORLD = {
  users: 400,
  items: 60,
  organic: 3,
  randomized: 0,
  zipf: 1,
  beta: 0.6,
  models: { good: 0.6, fair: 0.4 },
  caused: 0.1,
};
const OPTIONS = smallOptions({
  tickMs: 3_600_000,
  windows: [{ name: '1h', ms: 3_600_000 }],
  attributionTtlMs: 3_600_000,
  popularity: { horizonMs: 3_600_000, of: 'positive' },
});

/** Findings for a log with changed interactions. */
function said(change: (event: Event) => Event): string[] {
  const log = trustLog(WORLD).map((event) =>
    event.type === 'interaction' ? change(event) : event,
  );
  const { snapshots } = feed(log, OPTIONS, { partitions: 1, batchSize: 1000, run: 1 });
  const snapshot = snapshots.at(-1)!;
  return windowFindings(snapshot, snapshot.windows[0])
    .filter(({ code }) => code === 'ids_differ')
    .map((finding) => textOf(finding).replaceAll('\u00a0', ' '));
}

it('finds nothing where lists and interactions use the same ids', () => {
  expect(said((event) => event)).toEqual([]);
});

it('names user ids that differ between lists and interactions', () => {
  expect(said((event) => ({ ...event, user: `user-${event.user}` }))).toEqual([
    'Hardly any of the 1,200 positive interactions comes from a user who was given a list. Check that lists and interactions use the same user ids.',
  ]);
});

it('names item ids that differ between lists and interactions', () => {
  const upper = (event: Event) =>
    event.type === 'interaction' ? { ...event, item: event.item.toUpperCase() } : event;
  expect(said(upper)).toEqual([
    'None of the 1,200 positive interactions is on an item of a served list. Check that lists and interactions use the same item ids.',
  ]);
});
