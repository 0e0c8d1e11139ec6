import { afterEach, describe, expect, it } from 'vitest';
import type { CheckpointStore, PaneExchange, PublishedProgress } from '../../src/stream/ports.js';

export interface PaneExchangeHarness {
  /** Another process's exchange of the same group, and the store whose epochs it knows. */
  open(): PaneExchange;
  openStore(): CheckpointStore;
  /** Everything that was published is gone, as after a restart without a disk; epochs stay. */
  lose(): Promise<void>;
  close(): Promise<void>;
}

const NEVER = Number.NEGATIVE_INFINITY;
const FIRST = { from: NEVER, closed: NEVER };
const record = (pane: number, text = `pane ${pane}`) => ({ pane, bytes: Buffer.from(text) });
const upTo = (closed: number): PublishedProgress => ({
  closed,
  watermark: closed * 10 + 15,
  newest: closed * 10 + 17,
  isIdle: false,
});

/** What every exchange of panes does. */
export function paneExchangeContract(
  name: string,
  makeHarness: () => Promise<PaneExchangeHarness>,
): void {
  describe(`${name} as an exchange of panes`, () => {
    const open: { close(): Promise<void> }[] = [];
    afterEach(async () => {
      for (const each of open.splice(0).reverse()) await each.close();
    });
    async function start() {
      const harness = await makeHarness();
      open.push(harness);
      const store = harness.openStore();
      const exchange = harness.open();
      const reader = harness.open();
      open.push(store, exchange, reader);
      const texts = async (partition: number, after: number) =>
        (await reader.records(partition, after, after))?.map(
          ({ pane, bytes }) => `${pane}: ${Buffer.from(bytes).toString()}`,
        );
      return { harness, store, exchange, reader, texts };
    }

    it('knows nothing about a partition that nobody published', async () => {
      const { reader } = await start();
      expect(await reader.progress(2)).toEqual([undefined, undefined]);
      expect(await reader.records(0, NEVER, NEVER)).toBeUndefined();
      expect(await reader.concluded()).toBeUndefined();
    });

    it('hands records to others, in the order of their panes, and those after a pane alone', async () => {
      const { store, exchange, texts } = await start();
      const epoch = await store.takeEpoch(1);
      const sent = [record(3), record(9), record(11)];
      expect(await exchange.publish(1, epoch, FIRST, upTo(12), sent)).toBe('published');
      expect(await texts(1, NEVER)).toEqual(['3: pane 3', '9: pane 9', '11: pane 11']);
      expect(await texts(1, 3)).toEqual(['9: pane 9', '11: pane 11']);
      expect(await texts(1, 11)).toEqual([]);
      expect(await texts(0, NEVER)).toBeUndefined();
    });

    it('keeps the bytes of a record as they are', async () => {
      const { store, exchange, reader } = await start();
      const epoch = await store.takeEpoch(0);
      const bytes = Uint8Array.from({ length: 70_000 }, (_, n) => (n * 7) % 256);
      await exchange.publish(0, epoch, FIRST, upTo(5), [{ pane: 5, bytes }]);
      const [found] = (await reader.records(0, NEVER, NEVER))!;
      expect(Buffer.compare(found!.bytes, bytes)).toBe(0);
    });

    it('says how far each partition is, with times and panes that are yet to come', async () => {
      const { store, exchange, reader } = await start();
      const epoch = await store.takeEpoch(1);
      const nothing = { closed: NEVER, watermark: NEVER, newest: NEVER, isIdle: true };
      await exchange.publish(1, epoch, FIRST, nothing, []);
      expect(await reader.progress(2)).toEqual([undefined, { ...nothing, from: NEVER }]);
      await exchange.publish(1, epoch, FIRST, upTo(4), [record(4)]);
      expect(await reader.progress(2)).toEqual([undefined, { ...upTo(4), from: NEVER }]);
    });

    it('leaves a record that is there as it is, and never goes back', async () => {
      const { store, exchange, reader, texts } = await start();
      const epoch = await store.takeEpoch(0);
      await exchange.publish(0, epoch, FIRST, upTo(6), [record(5), record(6)]);
      const successor = await store.takeEpoch(0);
      const again = [record(5, 'again'), record(6, 'again')];
      await exchange.publish(0, successor, FIRST, upTo(5), again.slice(0, 1));
      expect((await reader.progress(1))[0]!.closed).toBe(6);
      const before = { from: NEVER, closed: 5 };
      await exchange.publish(0, successor, before, upTo(7), [...again.slice(1), record(7)]);
      expect(await texts(0, NEVER)).toEqual(['5: pane 5', '6: pane 6', '7: pane 7']);
    });

    it('refuses an epoch that has passed, and nothing changes', async () => {
      const { harness, store, exchange, reader, texts } = await start();
      const stale = await store.takeEpoch(0);
      await exchange.publish(0, stale, FIRST, upTo(3), [record(3)]);
      const note = { through: 3, ticked: 3, gamma: null, drift: null };
      await exchange.conclude(stale, note);
      const other = harness.openStore();
      open.push(other);
      const epoch = await other.takeEpoch(0);
      const before = { from: NEVER, closed: 3 };
      expect(await exchange.publish(0, stale, before, upTo(8), [record(8)])).toBe('fenced');
      expect(await exchange.conclude(stale, { ...note, through: 8 })).toBe('fenced');
      await exchange.trim(0, stale, 3);
      expect(await texts(0, NEVER)).toEqual(['3: pane 3']);
      expect((await reader.progress(1))[0]).toEqual({ ...upTo(3), from: NEVER });
      expect(await reader.concluded()).toEqual(note);
      expect(await exchange.publish(0, epoch, before, upTo(4), [record(4)])).toBe('published');
    });

    it('drops records that nobody needs, and says from where on they are there', async () => {
      const { store, exchange, reader, texts } = await start();
      const epoch = await store.takeEpoch(0);
      await exchange.publish(0, epoch, FIRST, upTo(9), [record(2), record(5), record(9)]);
      await exchange.trim(0, epoch, 5);
      expect(await texts(0, 5)).toEqual(['9: pane 9']);
      // Who asks for more is not to take these for all.
      expect(await texts(0, 4)).toBeUndefined();
      expect((await reader.progress(1))[0]).toEqual({ ...upTo(9), from: 5 });
      await exchange.trim(0, epoch, 3);
      expect((await reader.progress(1))[0]!.from).toBe(5);
      await exchange.publish(0, epoch, { from: 5, closed: 9 }, upTo(10), [record(10)]);
      expect(await texts(0, 5)).toEqual(['9: pane 9', '10: pane 10']);
    });

    it('takes for gone what an owner that has started again has not published again yet', async () => {
      const { store, exchange, reader } = await start();
      const epoch = await store.takeEpoch(0);
      await exchange.publish(0, epoch, FIRST, upTo(9), [record(7), record(9)]);
      await exchange.trim(0, epoch, 7);
      const [before] = await reader.progress(1);
      // Back with an older state, it finds its records gone, and begins where that does.
      const later = await store.takeEpoch(0);
      const begin = { from: 2, closed: 2 };
      expect(await exchange.publish(0, later, begin, upTo(5), [record(5)])).toBe('published');
      expect(await reader.records(0, 8, before!.closed)).toBeUndefined();
      expect((await reader.records(0, 2, 5))!.map(({ pane }) => pane)).toEqual([5]);
    });

    it('takes an owner that begins after a stretch that was not published', async () => {
      const { store, exchange, reader } = await start();
      const epoch = await store.takeEpoch(0);
      await exchange.publish(0, epoch, FIRST, upTo(9), [record(9)]);
      const later = await store.takeEpoch(0);
      const begin = { from: 40, closed: 40 };
      expect(await exchange.publish(0, later, begin, upTo(41), [record(41)])).toBe('published');
      expect((await reader.progress(1))[0]).toEqual({ ...upTo(41), from: 40 });
    });

    it('begins again with an owner that begins before what is there', async () => {
      const { store, exchange, reader, texts } = await start();
      const epoch = await store.takeEpoch(0);
      await exchange.publish(0, epoch, FIRST, upTo(9), [record(2), record(5), record(9)]);
      await exchange.trim(0, epoch, 5);
      // Its checkpoint is older than what was dropped, as one is that a copy brought back.
      const older = await store.takeEpoch(0);
      const begin = { from: 3, closed: 3 };
      expect(await exchange.publish(0, older, begin, upTo(5), [record(5)])).toBe('published');
      expect((await reader.progress(1))[0]).toEqual({ ...upTo(5), from: 3 });
      expect(await texts(0, 3)).toEqual(['5: pane 5']);
      const next = { from: 3, closed: 5 };
      expect(await exchange.publish(0, older, next, upTo(9), [record(9)])).toBe('published');
      expect(await texts(0, 3)).toEqual(['5: pane 5', '9: pane 9']);
    });

    it('has an owner that is behind what was dropped publish again what it holds', async () => {
      const { store, exchange, texts } = await start();
      const epoch = await store.takeEpoch(0);
      await exchange.publish(0, epoch, FIRST, upTo(9), [record(2), record(5), record(9)]);
      await exchange.trim(0, epoch, 5);
      const behind = await store.takeEpoch(0);
      const before = { from: 1, closed: 2 };
      expect(await exchange.publish(0, behind, before, upTo(5), [record(5)])).toBe('lost');
      const all = [record(2), record(5)];
      const begin = { from: 1, closed: 1 };
      expect(await exchange.publish(0, behind, begin, upTo(5), all)).toBe('published');
      expect(await texts(0, 1)).toEqual(['2: pane 2', '5: pane 5']);
    });

    it('says that it has lost what was published, and takes it again', async () => {
      const { harness, store, exchange, reader, texts } = await start();
      const epoch = await store.takeEpoch(0);
      await exchange.publish(0, epoch, FIRST, upTo(5), [record(4), record(5)]);
      await harness.lose();
      const before = { from: 3, closed: 5 };
      expect(await exchange.publish(0, epoch, before, upTo(6), [record(6)])).toBe('lost');
      expect(await texts(0, NEVER)).toBeUndefined();
      const all = [record(4), record(5), record(6)];
      expect(await exchange.publish(0, epoch, { from: 3, closed: 3 }, upTo(6), all)).toBe(
        'published',
      );
      expect(await texts(0, 3)).toEqual(['4: pane 4', '5: pane 5', '6: pane 6']);
      expect((await reader.progress(1))[0]).toEqual({ ...upTo(6), from: 3 });
    });

    it('keeps the note of what is concluded, with the fit of γ, what detectors learned, what is withheld and what verdicts rest on', async () => {
      const { store, exchange, reader } = await start();
      const epoch = await store.takeEpoch(0);
      const gamma = { gamma: 1.25, stdErr: 0.1 };
      const note = { through: 12, ticked: 11, gamma, drift: '{"held":["é"]}' };
      expect(await exchange.conclude(epoch, note)).toBe('published');
      expect(await reader.concluded()).toEqual(note);
      expect(await reader.concluded()).toEqual(note);
      const nothing = { through: 13, ticked: NEVER, gamma: null, drift: null };
      await exchange.conclude(epoch, nothing);
      expect(await reader.concluded()).toEqual(nothing);
      const more = { ...nothing, through: 14, drift: '{}' };
      await exchange.conclude(epoch, more);
      expect(await reader.concluded()).toEqual(more);
      const held = { ...more, through: 15, withheld: { '1h': ['["é","recall"]'] } };
      await exchange.conclude(epoch, held);
      expect(await reader.concluded()).toEqual(held);
      const judged = { ...more, through: 16, decision: '{"sums":["é"]}' };
      await exchange.conclude(epoch, judged);
      expect(await reader.concluded()).toEqual(judged);
      const given = { ...more, through: 17 };
      await exchange.conclude(epoch, given);
      expect(await reader.concluded()).toEqual(given);
    });
  });
}
