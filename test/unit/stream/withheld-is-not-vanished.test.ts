import { describe, expect, it } from 'vitest';
import { seeded } from '../../oracle/random.js';
import { driftMonitorOptions } from '../../support/drift-traffic.js';
import { type Event, feed } from '../../support/log.js';

const PANE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);
const USERS = 36;
/** From here on each click names the list that was shown: all estimates are withheld, … */
const WITHHELD_FROM = 25;
/** … for 30 panes, before the lists of one model end. */
const LAST_OF_SHADOW = WITHHELD_FROM + 29;
const PANES = LAST_OF_SHADOW + 8;

function madeLog(): Event[] {
  const random = seeded(21);
  const events: Event[] = [];
  for (let pane = 0; pane < PANES; pane++) {
    for (let user = 0; user < USERS; user++) {
      const ts = START_MS + pane * PANE_MS + 1500 * user;
      const id = `${pane}-${user}`;
      const list = (model: string, after: number, isShown: boolean) => {
        const from = Math.floor(10 * random());
        const items = Array.from({ length: 10 }, (_, n) => `i${from + n}`);
        const base = { type: 'exposure' as const, user: `u${user}`, model, shown: isShown };
        events.push({ ...base, id: `${model}-${id}`, ts: ts + after, items });
        return items;
      };
      const shown = list('production', 0, true);
      if (pane <= LAST_OF_SHADOW) list('shadow', 1, false);
      const item = shown[Math.floor(10 * random())]!;
      const click = { type: 'interaction' as const, id: `x-${id}`, ts: ts + 500, user: `u${user}` };
      const isCaused = pane >= WITHHELD_FROM;
      events.push({ ...click, item, ...(isCaused && { exposure: `production-${id}` }) });
    }
  }
  return events;
}

function snapshotsOf() {
  const monitor = driftMonitorOptions();
  const options = {
    ...monitor,
    estimates: { ...monitor.estimates, feedback: 'withhold' as const },
    drift: {
      ...monitor.drift!,
      detectors: ['cusum', 'e-sr', 'vanished'] as const,
      learn: 20,
      standardisation: 'ranks' as const,
    },
  };
  return feed(madeLog(), options, { partitions: 2, batchSize: 5000, run: 1 }).snapshots;
}

describe('a model with withheld estimates that still sends lists', () => {
  const snapshots = snapshotsOf();
  const paneOf = (ms: number) => (ms - START_MS) / PANE_MS;
  const vanished = snapshots.flatMap(({ alarms, paneEnd }) =>
    alarms.filter(({ at, detector }) => at === paneEnd && detector === 'vanished'),
  );

  it('has not vanished, and one that stops is reported within five panes', () => {
    expect(vanished.map(({ series, since }) => [series, paneOf(since)])).toEqual([
      ['lists/shadow', LAST_OF_SHADOW + 1],
    ]);
    for (const { at, since } of vanished) {
      expect(paneOf(at) - paneOf(since)).toBeLessThanOrEqual(5);
    }
  });
});
