import { afterEach, describe, expect, it } from 'vitest';
import type { CheckpointStore } from '../../src/stream/ports.js';
import { repetitions } from '../support/repetitions.js';

export interface CheckpointStoreHarness {
  /** Another process's store of the same checkpoints. */
  open(): CheckpointStore;
  /** Makes the newest checkpoint of a partition shorter or otherwise other than it was. */
  damageNewest(partition: number): Promise<void>;
  close(): Promise<void>;
}

/** More than a store keeps in one piece. */
const MEGABYTES = repetitions(6, 20);

const bytes = (text: string) => Buffer.from(text);

async function kept(store: CheckpointStore, partition: number): Promise<string[]> {
  const texts: string[] = [];
  for await (const checkpoint of store.load(partition)) {
    texts.push(Buffer.from(checkpoint).toString('utf8'));
  }
  return texts;
}

/** What every store of checkpoints does. */
export function checkpointStoreContract(
  name: string,
  makeHarness: () => Promise<CheckpointStoreHarness>,
): void {
  describe(`${name} as a checkpoint store`, () => {
    const open: { close(): Promise<void> }[] = [];
    afterEach(async () => {
      for (const each of open.splice(0).reverse()) await each.close();
    });
    async function start() {
      const harness = await makeHarness();
      open.push(harness);
      const process = () => {
        const store = harness.open();
        open.push(store);
        return store;
      };
      return { harness, process, store: process() };
    }

    it('holds nothing for a partition that was never saved', async () => {
      const { store } = await start();
      expect(await kept(store, 3)).toEqual([]);
    });

    it('knows whether the last saved checkpoint is there', async () => {
      const { store, process } = await start();
      const epoch = await store.takeEpoch(0);
      expect(await store.isWhole(0)).toBe(false);
      await store.save(0, epoch, [bytes('ab'), bytes('c')]);
      expect(await store.isWhole(0)).toBe(true);
      expect(await process().isWhole(0)).toBe(true);
      expect(await store.isWhole(1)).toBe(false);
    });

    it('returns the chunks as one checkpoint, also to another process', async () => {
      const { store, process } = await start();
      const epoch = await store.takeEpoch(0);
      expect(await store.save(0, epoch, [bytes('ab'), bytes(''), bytes('c')])).toBe('saved');
      expect(await kept(store, 0)).toEqual(['abc']);
      expect(await kept(process(), 0)).toEqual(['abc']);
    });

    it('has one owner if many take the epoch at the same moment', async () => {
      const { process } = await start();
      const stores = Array.from({ length: 8 }, process);
      const epochs = await Promise.all(stores.map((store) => store.takeEpoch(0)));
      const last = Math.max(...epochs);
      const saved = await Promise.all(
        stores.map((store, n) => store.save(0, epochs[n]!, [bytes(`${epochs[n]}`)])),
      );
      expect(epochs.filter((epoch) => epoch === last)).toHaveLength(1);
      expect(saved).toEqual(epochs.map((epoch) => (epoch === last ? 'saved' : 'fenced')));
      expect(await kept(process(), 0)).toEqual([`${last}`]);
    });

    it('keeps the newest two checkpoints', async () => {
      const { store } = await start();
      const epoch = await store.takeEpoch(0);
      for (const text of ['first', 'second', 'third']) await store.save(0, epoch, [bytes(text)]);
      expect(await kept(store, 0)).toEqual(['third', 'second']);
    });

    it('keeps partitions apart, also 1 and 11', async () => {
      const { store } = await start();
      for (const partition of [1, 11]) {
        const epoch = await store.takeEpoch(partition);
        await store.save(partition, epoch, [bytes(`of ${partition}`)]);
      }
      expect(await kept(store, 1)).toEqual(['of 1']);
      expect(await kept(store, 11)).toEqual(['of 11']);
    });

    it('gives rising epochs across workers', async () => {
      const { store, process } = await start();
      const first = await store.takeEpoch(0);
      const second = await process().takeEpoch(0);
      expect(second).toBeGreaterThan(first);
      expect(await store.takeEpoch(0)).toBeGreaterThan(second);
    });

    it('fences a writer with a stale epoch and keeps what is stored', async () => {
      const { store: stale, process } = await start();
      const old = await stale.takeEpoch(0);
      await stale.save(0, old, [bytes('before')]);
      const owner = process();
      const epoch = await owner.takeEpoch(0);
      expect(await stale.save(0, old, [bytes('stale')])).toBe('fenced');
      expect(await kept(owner, 0)).toEqual(['before']);
      expect(await owner.save(0, epoch, [bytes('after')])).toBe('saved');
      expect(await stale.save(0, old, [bytes('stale')])).toBe('fenced');
      expect(await kept(stale, 0)).toEqual(['after', 'before']);
    });

    it('still has the previous checkpoint if the newest is damaged', async () => {
      const { store, harness, process } = await start();
      const epoch = await store.takeEpoch(0);
      for (const text of ['first', 'second']) await store.save(0, epoch, [bytes(text)]);
      await harness.damageNewest(0);
      const [damaged, previous] = await kept(process(), 0);
      expect(damaged).not.toBe('second');
      expect(previous).toBe('first');
    });

    it('lists the partitions that it holds a checkpoint for', async () => {
      const { store, process } = await start();
      expect(await store.partitions()).toEqual([]);
      for (const partition of [11, 2, 1]) {
        const epoch = await store.takeEpoch(partition);
        if (partition !== 2) await store.save(partition, epoch, [bytes('a')]);
      }
      expect(await process().partitions()).toEqual([1, 11]);
    });

    it('returns the first bytes of the newest checkpoint', async () => {
      const { store } = await start();
      expect(await store.peek(0, 5)).toBeUndefined();
      const epoch = await store.takeEpoch(0);
      await store.save(0, epoch, [bytes('before')]);
      await store.save(0, epoch, [bytes('abc'), bytes('def')]);
      const peeked = async (count: number) => {
        const found = (await store.peek(0, count))!;
        return Buffer.from(found).toString();
      };
      expect(await peeked(2)).toBe('ab');
      expect(await peeked(5)).toBe('abcde');
      expect(await peeked(50)).toBe('abcdef');
    });

    it('replaces the stored checkpoints with one or with none', async () => {
      const { store, process } = await start();
      const stale = await store.takeEpoch(0);
      for (const text of ['first', 'second']) await store.save(0, stale, [bytes(text)]);
      const owner = process();
      const epoch = await owner.takeEpoch(0);
      expect(await store.replace(0, stale, [bytes('stale')])).toBe('fenced');
      expect(await store.replace(0, stale, undefined)).toBe('fenced');
      expect(await kept(store, 0)).toEqual(['second', 'first']);
      expect(await owner.replace(0, epoch, [bytes('al'), bytes('one')])).toBe('saved');
      expect(await kept(store, 0)).toEqual(['alone']);
      expect(await owner.save(0, epoch, [bytes('next')])).toBe('saved');
      expect(await kept(store, 0)).toEqual(['next', 'alone']);
      expect(await owner.replace(0, epoch, undefined)).toBe('saved');
      expect(await kept(store, 0)).toEqual([]);
      expect(await store.partitions()).toEqual([]);
    });

    it(`stores a checkpoint of ${MEGABYTES} MB in many chunks`, async () => {
      const { store } = await start();
      const chunks = Array.from({ length: MEGABYTES }, (_, n) => new Uint8Array(1_000_000).fill(n));
      const epoch = await store.takeEpoch(0);
      await store.save(0, epoch, chunks);
      for await (const checkpoint of store.load(0)) {
        expect(Buffer.compare(checkpoint, Buffer.concat(chunks))).toBe(0);
      }
    });
  });
}
