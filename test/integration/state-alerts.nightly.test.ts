import { beforeAll, expect, it } from 'vitest';
import { requireCommand } from '../../deploy/services.mjs';
import { EvictionWatch, watchedStore } from '../../src/commands/service/watched-stores.js';
import { UnskewError } from '../../src/errors.js';
import { Exporter } from '../../src/outputs/prometheus/exporter.js';
import { MemoryCheckpointStore } from '../support/memory-checkpoint-store.js';
import { firing, Scrapes } from '../support/promtool.js';
import { quietIo } from '../support/quiet-io.js';

const ALERTS = [
  'UnskewStateAbsent',
  'UnskewCheckpointDamaged',
  'UnskewFenced',
  'UnskewStateLost',
  'UnskewStoreMayEvict',
  'UnskewStoreErrors',
];

beforeAll(() => requireCommand('promtool', 'prometheus', () => {}));

/** A store that says what its server does, and that may be away. */
class TroubledStore extends MemoryCheckpointStore {
  policy = 'noeviction';
  isAway = false;

  async evictionPolicy(): Promise<string> {
    return this.policy;
  }

  override async takeEpoch(partition: number): Promise<number> {
    if (this.isAway) throw new UnskewError('STATE', 'no answer');
    return super.takeEpoch(partition);
  }
}

/** What the real exporter says each minute, from the first on. */
function aWorker() {
  const exporter = new Exporter({
    maxModels: 4,
    version: '0',
    topics: ['e', 'i'],
    checkpointAge: () => 1,
  });
  const store = new TroubledStore();
  const checkpoints = watchedStore(store, exporter.stores);
  const eviction = new EvictionWatch(checkpoints, exporter.stores, quietIo.log);
  const scrapes = new Scrapes();
  const minutes = async (count: number, each: (minute: number) => unknown = () => {}) => {
    for (let n = 0; n < count; n++) {
      await each(n);
      scrapes.add('a', await exporter.metrics());
    }
  };
  return { exporter, store, checkpoints, eviction, scrapes, minutes };
}

const firesAt = ({ scrapes }: ReturnType<typeof aWorker>, minute = scrapes.minutes - 1) =>
  firing(scrapes, minute, ALERTS);

it('a worker that starts, saves and is fenced once raises no alert', async () => {
  const worker = aWorker();
  const { exporter, minutes } = worker;
  // Of a partition that is new nothing can be kept.
  exporter.stream.checkpoint('first');
  await minutes(10, () => exporter.stream.checkpoint('saved'));
  exporter.stream.checkpoint('fenced');
  await minutes(10, () => exporter.stream.checkpoint('saved'));
  expect(await firesAt(worker, 0)).toEqual([]);
  expect(await firesAt(worker, 12)).toEqual([]);
  expect(await firesAt(worker)).toEqual([]);
});

it.each([
  ['absent', 'UnskewStateAbsent'],
  ['damaged', 'UnskewCheckpointDamaged'],
] as const)(
  '%s state raises an alert, even if counted before the first scrape',
  async (outcome, alert) => {
    const early = aWorker();
    early.exporter.stream.checkpoint(outcome);
    await early.minutes(30);
    expect(await firesAt(early, 2)).toEqual([alert]);
    // It does not stay for as long as the worker lives.
    expect(await firesAt(early)).toEqual([]);
    const later = aWorker();
    await later.minutes(20);
    later.exporter.stream.checkpoint(outcome);
    await later.minutes(3);
    expect(await firesAt(later, 18)).toEqual([]);
    expect(await firesAt(later)).toEqual([alert]);
  },
);

it('a worker that stays fenced raises an alert', async () => {
  const worker = aWorker();
  await worker.minutes(5);
  await worker.minutes(20, () => worker.exporter.stream.checkpoint('fenced'));
  expect(await firesAt(worker)).toEqual(['UnskewFenced']);
});

it('a checkpoint lost from the store raises an alert', async () => {
  const checkpoint = aWorker();
  await checkpoint.minutes(2);
  checkpoint.exporter.stream.checkpoint('lost');
  await checkpoint.minutes(2);
  expect(await firesAt(checkpoint)).toEqual(['UnskewStateLost']);
});

it('a server that may evict keys raises an alert', async () => {
  const worker = aWorker();
  await worker.eviction.look();
  await worker.minutes(3);
  worker.store.policy = 'allkeys-lru';
  await worker.eviction.look();
  await worker.minutes(8);
  expect(await firesAt(worker, 2)).toEqual([]);
  expect(await firesAt(worker)).toEqual(['UnskewStoreMayEvict']);
});

it('a store that keeps failing raises an alert', async () => {
  const worker = aWorker();
  await worker.minutes(3);
  worker.store.isAway = true;
  await worker.minutes(20, async () => {
    const failure = await worker.checkpoints.takeEpoch(0).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(UnskewError);
  });
  expect(await firesAt(worker)).toEqual(['UnskewStoreErrors']);
});
