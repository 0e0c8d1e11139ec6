import { describe, expect, it } from 'vitest';
import type { Snapshot } from '../../../src/stream/snapshot.js';
import { seeded } from '../../oracle/random.js';
import { differences } from '../../support/compare.js';
import { driftMonitorOptions } from '../../support/drift-traffic.js';
import { type Event, feed } from '../../support/log.js';
import { RestartedReader } from '../../support/restarts.js';

const PANE_MS = 60_000;
const START_MS = Date.UTC(2026, 0, 1);
const USERS = 36;
const PANES = 36;
const LAST = { shown: 26, shadow: 29 };
const FRESH = 28;
const ITEMS = Array.from({ length: 20 }, (_, n) => `i${n}`);

/**
 * Each user has a list of each model once a pane and picks an item. One model's lists are shown and
 * one's are not; each ends, and another begins.
 */
function madeLog(): Event[] {
  const random = seeded(12);
  const events: Event[] = [];
  for (let pane = 0; pane < PANES; pane++) {
    for (let user = 0; user < USERS; user++) {
      const ts = START_MS + pane * PANE_MS + 1500 * user;
      const list = (model: string, after: number, isShown: boolean) => {
        const from = Math.floor(10 * random());
        const base = { type: 'exposure' as const, user: `u${user}`, model, shown: isShown };
        const id = `${model}-${pane}-${user}`;
        events.push({ ...base, id, ts: ts + after, items: ITEMS.slice(from, from + 10) });
      };
      list('steady', 0, true);
      if (pane <= LAST.shown) list('shown', 1, true);
      if (pane <= LAST.shadow) list('shadow', 2, false);
      if (pane >= FRESH) list('fresh', 3, false);
      const item = ITEMS[Math.floor(20 * random())]!;
      const id = `x-${pane}-${user}`;
      events.push({ type: 'interaction', id, ts: ts + 500, user: `u${user}`, item });
    }
  }
  return events;
}

/** Lists are used for much longer than a pane, so rows go on having ranks in those of who is gone. */
function options() {
  const monitor = driftMonitorOptions();
  const drift = { ...monitor.drift!, detectors: ['cusum', 'e-sr', 'vanished'] as const };
  const watched = { ...drift, learn: 20, standardisation: 'ranks' as const };
  return { ...monitor, attributionTtlMs: 30 * PANE_MS, drift: watched };
}

const log = madeLog();
const alone = feed(log, options(), { partitions: 1, batchSize: 10_000, run: 1 }).snapshots;

const told = (snapshots: readonly Snapshot[]) =>
  snapshots.map(({ paneEnd, drift, alarms, notices }) => ({ paneEnd, drift, alarms, notices }));

describe('a model that sends no lists any more', () => {
  it('is the same whatever the partitions and batches', () => {
    const other = feed(log, options(), { partitions: 3, batchSize: 170, run: 2 }).snapshots;
    expect(differences(told(other), told(alone), 1e-6)).toEqual([]);
  });
});

it('restarts from checkpoints in the middle of a silence change nothing', () => {
  const reader = new RestartedReader(log, options(), 2);
  for (let round = 0; round < 12; round++) {
    for (let partition = 0; partition < 2; partition++) {
      reader.read('exposures', partition, 170);
      reader.read('interactions', partition, 54);
    }
    for (let partition = 0; partition < 2; partition++) reader.checkpoint(partition);
    if (round % 3 === 2 || round > 8) reader.restart(round % 2 === 0);
  }
  reader.finish();
  const wanted = new Map(told(alone).map((one) => [one.paneEnd, one]));
  expect(new Set(reader.snapshots.map(({ paneEnd }) => paneEnd)).size).toBe(alone.length);
  for (const one of told(reader.snapshots)) {
    expect(differences(one, wanted.get(one.paneEnd)!, 1e-6)).toEqual([]);
  }
});
