import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import { itAtNight } from '../support/at-night.js';
import { differences } from '../support/compare.js';
import { type Event, feed, partitionOf, quickOptions, threeModels } from '../support/log.js';
import { MemoryCheckpointStore } from '../support/memory-checkpoint-store.js';
import { lastPaneEnd, PanesGroup, ToldLeadership } from '../support/panes-group.js';
import { repetitions } from '../support/repetitions.js';

const OPTIONS = quickOptions();
const PARTITIONS = 6;

let group: PanesGroup;
beforeEach(() => {
  group = new PanesGroup(PARTITIONS, OPTIONS);
});
afterEach(() => group.stop());

function wantedOf(events: readonly Event[]): Snapshot[] {
  return feed(events, OPTIONS, { partitions: PARTITIONS, batchSize: 1000, run: 1 }).snapshots;
}

function expectTheSame(found: readonly Snapshot[], wanted: readonly Snapshot[]): void {
  expect(found.map(({ paneEnd }) => paneEnd)).toEqual(wanted.map(({ paneEnd }) => paneEnd));
  for (const [n, each] of found.entries()) expect(differences(each, wanted[n]!, 0)).toEqual([]);
}

/** Ticks that were made again are the same again: the last of each pane. */
function lastOfEach(snapshots: readonly Snapshot[]): Snapshot[] {
  const all = new Map(snapshots.map((own) => [own.paneEnd, own]));
  return [...all.values()].sort((a, b) => a.paneEnd - b.paneEnd);
}

/** Produces in ten parts, with something that happens after each. */
async function produceInParts(events: readonly Event[], after: (part: number) => Promise<unknown>) {
  const size = Math.ceil(events.length / 10);
  for (let part = 0; part * size < events.length; part++) {
    await group.produce(events.slice(part * size, (part + 1) * size));
    await sleep(150);
    await after(part);
  }
}

describe('readers and a ticker', () => {
  it('give exactly the numbers of one process', async () => {
    const events = threeModels(repetitions(40, 80));
    const { snapshots } = await group.addTicker();
    await Promise.all([group.addReader(), group.addReader(), group.addReader()]);
    await group.produce(events);
    await group.settled(events);
    expect(group.lost).toEqual([]);
    expectTheSame(snapshots, wantedOf(events));
  });

  it('give the same numbers while readers come and go', async () => {
    const events = threeModels(80);
    const { snapshots } = await group.addTicker();
    await group.addReader();
    await produceInParts(events, async (part) => {
      if (part === 1 || part === 3) await group.addReader();
      if (part === 5) await group.readers[0]!.stop();
      if (part === 7) await group.readers[1]!.stop();
    });
    await group.settled(events);
    expect(group.lost).toEqual([]);
    expectTheSame(snapshots, wantedOf(events));
  }, 60_000);

  itAtNight(
    'give the same numbers if a reader joins while no record can be written',
    async () => {
      const events = threeModels(60);
      const { snapshots } = await group.addTicker();
      await group.addReader();
      const release = group.holdRecords();
      await group.produce(events.slice(0, 40));
      // By then its state is captured where a pane closed, which does not count yet.
      await sleep(400);
      await group.addReader();
      release();
      await group.produce(events.slice(40));
      await group.settled(events);
      expect(group.lost).toEqual([]);
      expectTheSame(snapshots, wantedOf(events));
    },
    60_000,
  );

  itAtNight(
    'give the same numbers if two independent groups read all partitions',
    async () => {
      const events = threeModels(80);
      const { snapshots } = await group.addTicker();
      await Promise.all([group.addReader('one'), group.addReader('other')]);
      await produceInParts(events, async (part) => {
        if (part === 4) await group.addReader('other');
      });
      await group.settled(events);
      expect(group.lost).toEqual([]);
      expectTheSame(snapshots, wantedOf(events));
    },
    60_000,
  );

  itAtNight(
    'give the same numbers from a restarted ticker and from one without state',
    async () => {
      const events = threeModels(80);
      const first = await group.addTicker();
      await group.addReader();
      await group.addReader();
      const wanted = wantedOf(events);
      await produceInParts(events, async (part) => {
        if (part !== 5) return;
        await first.flow.stop();
        group.tickers.length = 0;
        await group.addTicker();
      });
      const fresh = await group.addTicker(undefined, new MemoryCheckpointStore());
      await group.settled(events);
      const [second] = group.tickers;
      expect(first.snapshots.length).toBeGreaterThan(0);
      expectTheSame(lastOfEach([...first.snapshots, ...second!.snapshots]), wanted);
      expectTheSame(fresh.snapshots, wanted);
    },
    60_000,
  );

  it('have one leader of two tickers, which both give the same numbers', async () => {
    const events = threeModels(60);
    const [one, other] = [new ToldLeadership(true), new ToldLeadership(false)];
    const tickers = [await group.addTicker(one), await group.addTicker(other)];
    await group.addReader();
    await produceInParts(events, async (part) => {
      if (part !== 4) return;
      one.lead(false);
      other.lead(true);
    });
    await group.settled(events);
    expect(tickers.map(({ flow }) => flow.sharing.evaluates)).toEqual([false, true]);
    for (const { snapshots } of tickers) expectTheSame(snapshots, wantedOf(events));
    const states = await group.tickStore.partitions();
    expect(states).toHaveLength(PARTITIONS);
  }, 60_000);

  it('continue from the state of one process that did both', async () => {
    const events = threeModels(80);
    const alone = await group.addReader('g', true);
    const before: Snapshot[] = [];
    alone.ticks$.subscribe(({ snapshot }) => before.push(snapshot));
    await group.produce(events.slice(0, 40));
    while (before.length < 4) await sleep(10);
    await alone.stop();
    const { snapshots } = await group.addTicker();
    await group.addReader();
    await group.addReader();
    await group.produce(events.slice(40));
    await group.settled(events);
    expectTheSame(lastOfEach([...before, ...snapshots]), wantedOf(events));
  }, 60_000);
});

describe('lost records of the panes topic', () => {
  it('are reported if the topic is recreated, and ticks continue', async () => {
    const events = threeModels(80);
    const { snapshots } = await group.addTicker();
    await group.addReader();
    await produceInParts(events, async (part) => {
      if (part !== 4) return;
      for (let p = 0; p < PARTITIONS; p++) group.panes.of(p).recreate();
    });
    await group.settled(events);
    expect(group.lost.length).toBeGreaterThan(0);
    expect(snapshots.at(-1)!.paneEnd).toBe(wantedOf(events).at(-1)!.paneEnd);
  }, 60_000);

  itAtNight(
    'are not missed if they were read before the topic was trimmed',
    async () => {
      const events = threeModels(80);
      const { snapshots } = await group.addTicker();
      await group.addReader();
      await produceInParts(events, async (part) => {
        if (part !== 4) return;
        await sleep(300);
        for (let p = 0; p < PARTITIONS; p++) group.panes.of(p).trim(2);
      });
      await group.settled(events);
      expect(group.lost).toEqual([]);
      expectTheSame(snapshots, wantedOf(events));
    },
    60_000,
  );
});

describe('topics that gain partitions', () => {
  const MORE = PARTITIONS + 3;
  const before = threeModels(80);
  /** Of other users: the one that is in another partition than before is another one there. */
  const after = threeModels(160)
    .slice(80)
    .map((event) => ({ ...event, user: `v${event.user}` }));
  const isNew = ({ user }: Event) => partitionOf(user, MORE) >= PARTITIONS;

  /** The result for this log if the partitions are added after the first events. */
  async function extended(later: readonly Event[], more: () => Promise<unknown> = async () => {}) {
    const { snapshots, flow } = await group.addTicker();
    const changes: unknown[] = [];
    flow.logChanges$.subscribe((change) => changes.push(change));
    await group.addReader();
    await group.produce(before);
    await group.settled(before);
    await more();
    group.extend(MORE);
    await group.addReader();
    expect(later.some(isNew)).toBe(true);
    await group.produce(later);
    await group.settled(later);
    expect(group.lost).toEqual([]);
    expect(changes).toEqual([{ kind: 'extended', from: PARTITIONS, to: MORE }]);
    return snapshots;
  }

  /** As if all of these had been there from the first event on. */
  function wantedBy(events: readonly Event[]): Snapshot[] {
    const inOrder = [...events].sort((a, b) => Number(a.ts) - Number(b.ts));
    return feed(inOrder, OPTIONS, { partitions: MORE, batchSize: 1000, run: 1 }).snapshots;
  }

  it('give the numbers of one process with readers and tickers', async () => {
    const found = await extended(after);
    const wanted = wantedBy([...before, ...after]);
    expect(found.map(({ paneEnd }) => paneEnd)).toEqual(wanted.map(({ paneEnd }) => paneEnd));
    expect(differences(found, wanted, 1e-9)).toEqual([]);
  }, 60_000);

  itAtNight(
    'are read from the beginning without ticks for past panes',
    async () => {
      const old = before
        .filter(({ ts }) => Number(ts) > 1_100)
        .map((event) => ({
          ...event,
          id: `old-${event.id}`,
          user: `w${event.user}`,
        }));
      const found = await extended([...old.filter(isNew), ...after]);
      const wanted = wantedBy([...before, ...old.filter(isNew), ...after]);
      expect(old.filter(isNew).length).toBeGreaterThan(10);
      expect(found.map(({ paneEnd }) => paneEnd)).toEqual(wanted.map(({ paneEnd }) => paneEnd));
      const until = lastPaneEnd(before, OPTIONS);
      const since = (all: readonly Snapshot[]) => all.filter(({ paneEnd }) => paneEnd > until);
      expect(since(found).length).toBeGreaterThan(10);
      expect(differences(since(found), since(wanted), 1e-9)).toEqual([]);
    },
    60_000,
  );
});
