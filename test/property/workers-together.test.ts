import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { MemoryBroker } from '../../src/adapters/memory/broker.js';
import { encodeEvent } from '../../src/events/encode.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { Pipeline } from '../../src/stream/pipeline.js';
import type { LogSource } from '../../src/stream/ports.js';
import type { Snapshot } from '../../src/stream/snapshot.js';
import type { UnknownCut } from '../../src/stream/sums/group-closer.js';
import { itAtNight } from '../support/at-night.js';
import { differences } from '../support/compare.js';
import {
  type Event,
  partitionOf,
  quickDecoder,
  quickOptions,
  roleOf,
  threeModels,
} from '../support/log.js';
import { MemoryCheckpointStore } from '../support/memory-checkpoint-store.js';
import { MemorySumsLog } from '../support/memory-sums-log.js';
import { repetitions } from '../support/repetitions.js';
import { SharedWorkers } from '../support/workers.js';

const ROLES = ['exposures', 'interactions'] as const;
const TOPICS = { exposures: 'e', interactions: 'i' };
const OPTIONS = quickOptions();

interface Worker {
  readonly pipeline: Pipeline;
  readonly source: LogSource;
  readonly snapshots: Snapshot[];
}

/** Workers over one broker, one store and one log of sums. */
class Group {
  readonly partitions: number;
  readonly options: MonitorOptions;
  readonly broker = new MemoryBroker();
  readonly store = new MemoryCheckpointStore();
  readonly sums = new MemorySumsLog();
  readonly workers: Worker[] = [];
  readonly all: Snapshot[] = [];

  constructor(partitions: number, options = OPTIONS) {
    this.partitions = partitions;
    this.options = options;
    for (const topic of Object.values(TOPICS)) this.broker.createTopic(topic, partitions);
  }

  async produce(events: readonly Event[]): Promise<void> {
    const { partitions } = this;
    for (const event of events) {
      const record = {
        key: null,
        value: encodeEvent(event),
        partition: partitionOf(event.user, partitions),
      };
      await this.broker.producer().send(TOPICS[roleOf(event)], [record]);
    }
  }

  async add(rules = 'test', store = this.store): Promise<Worker> {
    const source = this.broker.source({ topics: TOPICS, group: 'g', batchSize: 7 });
    const pipeline = new Pipeline(source, {
      monitor: this.options,
      decoder: quickDecoder(),
      topics: TOPICS,
      start: 'earliest',
      idleMs: 1500,
      turns: { now: () => performance.now(), next: () => nextTurn() },
      now: Date.now,
      sums: { log: this.sums, rules },
      checkpoints: {
        store,
        everyMs: 50,
        stopMs: 1000,
        written: async () => {},
      },
    });
    const worker: Worker = { pipeline, source, snapshots: [] };
    pipeline.panes$.subscribe({
      next: ({ snapshot }) => {
        worker.snapshots.push(snapshot);
        this.all.push(snapshot);
      },
      error: (error) => {
        throw error;
      },
    });
    this.workers.push(worker);
    await pipeline.start();
    return worker;
  }

  /** Resolves when somebody, or each worker, has given the pane of the newest event. */
  async settled(events: readonly Event[], each = false): Promise<void> {
    const { tickMs } = this.options;
    const newest = Math.max(...events.map(({ ts }) => ts as number));
    const last = (Math.floor(newest / tickMs) + 1) * tickMs;
    const all = () => (each ? this.workers.map(({ snapshots }) => snapshots) : [this.all]);
    const isGiven = (own: readonly Snapshot[]) => own.some(({ paneEnd }) => paneEnd >= last);
    while (!all().every(isGiven)) await sleep(10);
    // Nothing is to come after it.
    await sleep(200);
  }

  async stop(): Promise<void> {
    for (const { pipeline } of this.workers) await pipeline.stop();
  }
}

let group: Group | undefined;
afterEach(async () => {
  await group?.stop();
  group = undefined;
});

async function alone(partitions: number, events: readonly Event[]): Promise<Snapshot[]> {
  const one = new Group(partitions);
  await one.produce(events);
  await one.add();
  await one.settled(events);
  await one.stop();
  return one.all;
}

function byPane(snapshots: readonly Snapshot[]): Map<number, Snapshot[]> {
  const all = new Map<number, Snapshot[]>();
  for (const own of snapshots) all.set(own.paneEnd, [...(all.get(own.paneEnd) ?? []), own]);
  return all;
}

function expectTheSame(found: readonly Snapshot[], wanted: readonly Snapshot[]): void {
  const own = byPane(found);
  const one = byPane(wanted);
  expect([...own.keys()].sort()).toEqual([...one.keys()].sort());
  for (const [pane, all] of own) {
    for (const each of all) expect(differences(each, one.get(pane)![0], 0)).toEqual([]);
  }
}

describe('workers that close panes together', () => {
  it('give what one gives, to the bit', async () => {
    const events = threeModels(repetitions(40, 80));
    const wanted = await alone(6, events);
    group = new Group(6);
    await Promise.all([group.add(), group.add(), group.add()]);
    await sleep(300);
    await group.produce(events);
    await group.settled(events, true);
    for (const { snapshots } of group.workers) expectTheSame(snapshots, wanted);
  }, 120_000);

  itAtNight(
    'go on where one joins, leaves or is cut off',
    async () => {
      const events = threeModels(80);
      const wanted = await alone(6, events);
      group = new Group(6);
      await group.add();
      for (let n = 0; n < 8; n++) {
        await group.produce(events.slice(10 * n, 10 * (n + 1)));
        await sleep(400);
        if (n === 1) await group.add();
        if (n === 3) await group.add();
        if (n === 4) await group.workers[0]!.source.stop();
        if (n === 6) await group.workers[1]!.pipeline.stop();
      }
      await group.settled(events);
      expectTheSame(group.all, wanted);
    },
    120_000,
  );

  it('give nothing beside one that goes by other rules, and go on once it has left', async () => {
    const events = threeModels(repetitions(40, 60));
    group = new Group(2);
    const [own, other] = await Promise.all([group.add('one'), group.add('other')]);
    await group.produce(events);
    const sharing = () => [own, other].map(({ pipeline }) => pipeline.sharing!);
    while (!sharing().every(({ isMixed }) => isMixed)) await sleep(50);
    await sleep(500);
    expect(group.all).toEqual([]);
    expect(sharing()[0]!.note).toContain('one here, other elsewhere');
    await other.pipeline.stop();
    await group.settled(events);
    expect(own.pipeline.sharing!.isMixed).toBe(false);
    expectTheSame(own.snapshots, await alone(2, events));
  }, 120_000);

  itAtNight(
    'report panes that others have closed where nobody knows any more',
    async () => {
      const events = threeModels(60);
      const before = events.slice(0, 30);
      const after = events.slice(30);
      group = new Group(3);
      // What the others keep goes with them.
      const lost = new MemoryCheckpointStore();
      await Promise.all([group.add(), group.add('test', lost), group.add('test', lost)]);
      await sleep(300);
      await group.produce(before);
      await group.settled(before, true);
      const newest = Math.max(...group.all.map(({ paneEnd }) => paneEnd));
      for (const { pipeline } of group.workers) await pipeline.stop();
      group.sums.recreate();
      const unknown: UnknownCut[] = [];
      for (const { pipeline } of await Promise.all([group.add(), group.add()])) {
        pipeline.unknownCuts$.subscribe((cut) => unknown.push(cut));
      }
      await group.produce(after);
      await group.settled(events);
      expect(unknown.length).toBeGreaterThan(0);
      const ends = unknown.map(({ pane }) => (pane + 1) * group!.options.tickMs);
      expect(Math.max(...ends)).toBe(newest);
      expectTheSame(group.all, await alone(3, events));
    },
    120_000,
  );

  it('close where others have closed only once all before it is applied', async () => {
    const workers = new SharedWorkers(threeModels(60), OPTIONS, 3);
    const all = [0, 1, 2];
    await workers.share(3);
    for (let n = 0; n < 12; n++) {
      for (const p of all) for (const role of ROLES) workers.read(role, p, 2);
      for (const which of all) await workers.move(which);
    }
    const closed = all.map((p) => workers.closedThrough(p));
    await workers.die(1);
    // What the dead one had was kept nowhere, and begins at its beginning.
    const taken = all.filter((p) => workers.closedThrough(p) < closed[p]!);
    expect(taken).toHaveLength(1);
    workers.announce(taken[0]!);
    for (const which of [0, 1]) await workers.move(which);
    expect(workers.closedThrough(taken[0]!)).toBe(Number.NEGATIVE_INFINITY);
    for (const role of ROLES) workers.read(role, taken[0]!, 1000);
    for (const which of [0, 1, 0, 1]) await workers.move(which);
    expect(workers.closedThrough(taken[0]!)).toBeGreaterThan(0);
    await workers.finish();
  });
});
