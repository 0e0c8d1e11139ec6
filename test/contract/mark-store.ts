import { afterEach, describe, expect, it } from 'vitest';
import { type Mark, type MarkStore, MOST_MARKS } from '../../src/outputs/history/marks.js';

export interface MarkStoreHarness {
  /** Another process's store of the same marks, or the same process's after a restart. */
  open(): MarkStore;
  /** Puts these marks there at once, for a store that takes long to add as many one by one. */
  hold?(marks: readonly Mark[]): Promise<void>;
  close(): Promise<void>;
}

const aMark = (time: number, more: Partial<Mark> = {}): Mark => ({
  id: `m${time}`,
  time,
  kind: 'deploy',
  text: `release ${time}`,
  ...more,
});

/** What every store of marks does. */
export function markStoreContract(
  name: string,
  makeHarness: () => Promise<MarkStoreHarness>,
): void {
  describe(`${name} as a mark store`, () => {
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
      const fill = async (marks: readonly Mark[]) => {
        if (harness.hold !== undefined) return harness.hold(marks);
        const store = process();
        for (const mark of marks) await store.add(mark);
      };
      return { process, store: process(), fill };
    }

    it('is empty at first', async () => {
      const { store } = await start();
      expect(await store.all()).toEqual([]);
    });

    it('returns marks unchanged and by time, also to another process', async () => {
      const { store, process } = await start();
      const text = `<b>"ü"</b> \\u0000 ' 日本 ${'x'.repeat(150)}`;
      const second = aMark(2000, { text, kind: 'note', model: 'ü "m"' });
      const first = aMark(1000);
      expect(await store.add(second)).toBe('kept');
      expect(await store.add(first)).toBe('kept');
      expect(await store.all()).toEqual([first, second]);
      expect(await process().all()).toEqual([first, second]);
    });

    it('keeps one of several equal marks on a subject, until a different one comes', async () => {
      const { store, process } = await start();
      const said = (id: string, text: string) => aMark(1000, { id, text, kind: 'config' });
      expect(await store.add(said('a', 'tick: 1m → 2m'), 'time.tick')).toBe('kept');
      expect(await process().add(said('b', 'tick: 1m → 2m'), 'time.tick')).toBe('known');
      expect(await store.add(said('c', 'tick: 1m → 2m'), 'other')).toBe('kept');
      expect(await store.add(said('d', 'tick: 2m → 1m'), 'time.tick')).toBe('kept');
      expect(await process().add(said('e', 'tick: 1m → 2m'), 'time.tick')).toBe('kept');
      // Without a subject nothing is known.
      expect(await store.add(said('f', 'tick: 1m → 2m'))).toBe('kept');
      expect((await store.all()).map(({ id }) => id).sort()).toEqual(['a', 'c', 'd', 'e', 'f']);
      for (const mark of await store.all()) expect(Object.keys(mark)).toHaveLength(4);
    });

    it('keeps the configuration beside the marks, also for another process', async () => {
      const { store, process } = await start();
      expect(await store.settings()).toBeUndefined();
      await store.add(aMark(1000));
      await store.keepSettings({ 'time.tick': '1m', 'drift.learn': null });
      await store.add(aMark(2000));
      expect(await process().settings()).toEqual({ 'time.tick': '1m', 'drift.learn': null });
      await process().keepSettings({ 'time.tick': '"2m"' });
      expect(await store.settings()).toEqual({ 'time.tick': '"2m"' });
      expect(await store.all()).toEqual([aMark(1000), aMark(2000)]);
    });

    it('drops the oldest marks over the limit and rejects a mark older than all', async () => {
      const { store, fill } = await start();
      await fill(Array.from({ length: MOST_MARKS }, (_, n) => aMark(10_000 + n)));
      expect(await store.add(aMark(9_000))).toBe('too_old');
      expect(await store.add(aMark(20_000))).toBe('kept');
      const times = (await store.all()).map(({ time }) => time);
      expect(times).toHaveLength(MOST_MARKS);
      expect([times[0], times.at(-1)]).toEqual([10_001, 20_000]);
    });

    it('keeps all marks that are added at the same time', async () => {
      const { store } = await start();
      const marks = Array.from({ length: 8 }, (_, n) => aMark(1000 + n));
      await Promise.all(marks.map((mark) => store.add(mark)));
      expect(await store.all()).toEqual(marks);
    });
  });
}
