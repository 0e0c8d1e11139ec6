import { expect } from 'vitest';
import type { KafkaHarness } from '../contract/kafka-harness.js';
import { expectedRows } from '../oracle/rows-and-lists.js';
import { differences } from './compare.js';
import { keptRows } from './kept-rows.js';
import { type Event, feed, roleOf } from './log.js';
import { paneSeries } from './pane-series.js';
import { type Connections, OPTIONS, PipelineGroup } from './pipeline-group.js';
import { eventually } from './program.js';
import { PARTITIONS, partitionOf, SteadyTraffic } from './steady-traffic.js';

type Cleanups = (() => Promise<unknown>)[];

/** What a test may wait for while it disturbs. */
export interface Meanwhile {
  /** Waits until everything that was written so far is read. */
  allRead(): Promise<unknown>;
  /** Waits for a pane that nobody had closed yet. */
  nextPane(withinMs?: number): Promise<unknown>;
}

const counted = (what: string, look: () => number, least: number, withinMs?: number) =>
  eventually(
    what,
    async () => look(),
    (seen) => seen >= least,
    withinMs,
  );

/** A writer whose broker goes before it answers writes again: the log then holds more than was sent. */
async function writtenAgain(
  { admin, options }: KafkaHarness,
  written: readonly Event[],
): Promise<Record<string, number>> {
  const again: Record<string, number> = {};
  for (const role of ['exposures', 'interactions'] as const) {
    const partitions = await admin.fetchTopicOffsets(options.topics[role]);
    const records = partitions.reduce((sum, { offset }) => sum + Number(offset), 0);
    const more = records - written.filter((event) => roleOf(event) === role).length;
    if (more > 0) again[`${role} duplicate`] = more;
  }
  return again;
}

/**
 * Writes steadily and reads meanwhile, while something happens to Kafka or the store: panes, rows and
 * lists are those of an undisturbed run.
 *
 * @param aheadMs how far events lie ahead of the clock
 */
export async function expectUndisturbed(
  harness: KafkaHarness,
  workers: readonly Connections[],
  cleanups: Cleanups,
  disturb: (meanwhile: Meanwhile) => Promise<void>,
  aheadMs = 0,
): Promise<void> {
  const traffic = new SteadyTraffic(harness, aheadMs);
  const group = new PipelineGroup(harness, traffic.now);
  for (const connections of workers) {
    const pipeline = await group.add(connections);
    cleanups.push(() => pipeline.stop());
  }
  traffic.start();
  cleanups.push(() => traffic.stop());
  await disturb({
    allRead: () =>
      counted(
        'everything written so far to be read',
        () => group.read,
        traffic.written.length - PARTITIONS,
      ),
    nextPane: (withinMs) => counted('another pane', () => group.panes, group.panes + 1, withinMs),
  });
  await traffic.stop();
  const { written } = traffic;
  const found = await eventually(
    'everything to be closed and kept',
    () => keptRows(workers.at(-1)!.store, PARTITIONS),
    ({ rows, lists, accounts }) => {
      const late = (accounts['exposures late'] ?? 0) + (accounts['interactions late'] ?? 0);
      return rows.length + lists.length + late >= written.length;
    },
  );
  const expected = expectedRows(written, { tickMs: OPTIONS.tickMs, partitionOf });
  const accounts = { ...expected.accounts, ...(await writtenAgain(harness, written)) };
  expect(found).toEqual({ ...expected, accounts });
  const how = { partitions: 1, batchSize: 1_000, run: 1 };
  const wanted = feed(written, OPTIONS, how).snapshots;
  await counted('the last pane', () => group.panes, wanted.length);
  expect(differences(paneSeries(group.snapshots), wanted, 1e-9)).toEqual([]);
}
