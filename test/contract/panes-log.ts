import { afterEach, describe, expect, it } from 'vitest';
import type {
  LoggedPane,
  PanePartitionLog,
  PanesLog,
  PanesPosition,
} from '../../src/stream/ports.js';
import { eventually } from '../support/program.js';

/** A panes topic for one test, beside topics of events. */
export interface PanesLogHarness {
  /** One more process that has the topic. */
  log(): PanesLog;
  /** The topics of events get more partitions. */
  extend(partitions: number): Promise<void>;
  /** A topic that has more partitions than those of events. */
  wider(): Promise<PanesLog>;
  /** The oldest records of a partition are lost. */
  trim(partition: number, records: number): Promise<void>;
  /** The topic is deleted and made again. */
  recreate(): Promise<void>;
  close(): Promise<void>;
}

const PARTITIONS = 3;
const WAIT_MS = 200;
const MIB = 1024 * 1024;

const record = (n: number, length = 10) => Buffer.alloc(length, n);

/** What every implementation of `PanesLog` keeps to. */
export function panesLogContract(
  name: string,
  makeHarness: (partitions: number) => Promise<PanesLogHarness>,
): void {
  describe(`${name} as a panes topic`, () => {
    const cleanups: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    });

    async function harnessOf(): Promise<PanesLogHarness> {
      const harness = await makeHarness(PARTITIONS);
      cleanups.push(() => harness.close());
      return harness;
    }

    async function opened(harness: PanesLogHarness): Promise<PanesLog> {
      const log = harness.log();
      cleanups.push(() => log.close());
      expect(await log.open()).toBe(PARTITIONS);
      return log;
    }

    /** Reads this many records. */
    async function read(log: PanePartitionLog, from: PanesPosition, count: number) {
      const found: { readonly bytes: Buffer; readonly next: PanesPosition }[] = [];
      await eventually(
        `${count} records`,
        async () => {
          const more = await log.read(found.at(-1)?.next ?? from, WAIT_MS);
          if (more === 'gone') throw new Error('they are gone');
          found.push(...more.map(({ bytes, next }) => ({ bytes: Buffer.from(bytes), next })));
          return found.length;
        },
        (length) => length >= count,
        20_000,
      );
      return found;
    }

    it('reads the records of a partition in order, from the beginning or any position', async () => {
      const log = await opened(await harnessOf());
      const own = log.of(1);
      const { first, next } = await own.ends();
      expect(next).toEqual(first);
      for (let n = 0; n < 5; n++) await own.append(record(n), n);
      const all = await read(own, first, 5);
      expect(all.map(({ bytes }) => bytes)).toEqual([0, 1, 2, 3, 4].map((n) => record(n)));
      const rest = await read(own, all[2]!.next, 2);
      expect(rest.map(({ bytes }) => bytes)).toEqual([record(3), record(4)]);
      expect((await own.ends()).next.offset).toBe(all[4]!.next.offset);
      expect(await own.read(all[4]!.next, WAIT_MS)).toEqual([]);
      expect(await log.of(0).read((await log.of(0).ends()).first, WAIT_MS)).toEqual([]);
    });

    it('delivers to one process what another writes, also while it waits', async () => {
      const harness = await harnessOf();
      const [writer, reader] = [await opened(harness), await opened(harness)];
      const { first } = await reader.of(2).ends();
      await writer.of(2).append(record(1), 1);
      const [one] = await read(reader.of(2), first, 1);
      const coming = reader.of(2).read(one!.next, 20_000);
      await writer.of(2).append(record(2), 2);
      const found = await coming;
      expect(found).not.toBe('gone');
      expect((found as readonly LoggedPane[]).map(({ bytes }) => Buffer.from(bytes))).toEqual([
        record(2),
      ]);
    });

    it('stores records of several megabytes among small ones', async () => {
      const harness = await harnessOf();
      const log = await opened(harness);
      const other = await opened(harness);
      const { first } = await log.of(0).ends();
      const large = Buffer.from(Array.from({ length: 3 * MIB }, (_, n) => (n * n) % 251));
      await Promise.all([log.of(0).append(large, 1), other.of(0).append(record(2), 2)]);
      await log.of(0).append(record(3), 3);
      const found = await read(log.of(0), first, 3);
      const lengths = found.map(({ bytes }) => bytes.length);
      expect([...lengths].sort((a, b) => a - b)).toEqual([10, 10, large.length]);
      expect(found.find(({ bytes }) => bytes.length > 10)!.bytes.equals(large)).toBe(true);
      // The one that begins at any of these places reads what comes after it.
      for (const [n, { next }] of found.slice(0, 2).entries()) {
        const left = found.length - n - 1;
        const again = await read(await opened(harness).then((own) => own.of(0)), next, left);
        expect(again.slice(-left).map(({ bytes }) => bytes.length)).toEqual(lengths.slice(n + 1));
      }
    });

    it('reports the pane of the newest record', async () => {
      const log = await opened(await harnessOf());
      expect(await log.of(0).newestPane()).toBeUndefined();
      for (const pane of [7, 9]) await log.of(0).append(record(pane), pane);
      await log.of(0).append(Buffer.alloc(2 * MIB, 1), 12);
      expect(await log.of(0).newestPane()).toBe(12);
      expect(await log.of(1).newestPane()).toBeUndefined();
    });

    it('reports records as gone only where the oldest were trimmed', async () => {
      const harness = await harnessOf();
      const log = await opened(harness);
      const own = log.of(0);
      const { first } = await own.ends();
      for (let n = 0; n < 4; n++) await own.append(record(n), n);
      const all = await read(own, first, 4);
      await harness.trim(0, 2);
      const fresh = (await opened(harness)).of(0);
      expect(await fresh.read(first, WAIT_MS)).toBe('gone');
      expect(await fresh.read(all[0]!.next, WAIT_MS)).toBe('gone');
      for (const [n, left] of [
        [1, 2],
        [2, 1],
      ] as const) {
        const found = await read(fresh, all[n]!.next, left);
        expect(found.map(({ bytes }) => bytes)).toEqual(all.slice(-left).map(({ bytes }) => bytes));
      }
      expect((await fresh.ends()).first.offset).toBe(all[1]!.next.offset);
      expect(await fresh.newestPane()).toBe(3);
    });

    it('reports records as gone after it is recreated, however many it has by then', async () => {
      const harness = await harnessOf();
      const own = (await opened(harness)).of(0);
      const { first } = await own.ends();
      for (let n = 0; n < 3; n++) await own.append(record(n), n);
      const all = await read(own, first, 3);
      await harness.recreate();
      const log = await opened(harness);
      expect(await log.of(0).newestPane()).toBeUndefined();
      expect(await log.of(0).read(all[1]!.next, WAIT_MS)).toBe('gone');
      for (let n = 10; n < 12; n++) await log.of(0).append(record(n), n);
      const ofLast = (await opened(harness)).of(0);
      expect(await ofLast.read(all[1]!.next, WAIT_MS)).toBe('gone');
      for (let n = 12; n < 15; n++) await log.of(0).append(record(n), n);
      expect(await log.of(0).read(all[1]!.next, WAIT_MS)).toBe('gone');
      expect(await own.read(all[2]!.next, WAIT_MS)).toBe('gone');
      const found = await read(own, (await own.ends()).first, 5);
      expect(found.map(({ bytes }) => bytes[0])).toEqual([10, 11, 12, 13, 14]);
    });

    it('gets added partitions when it is opened again and keeps its records', async () => {
      const harness = await harnessOf();
      const log = await opened(harness);
      await log.of(2).append(record(1), 1);
      await harness.extend(PARTITIONS + 2);
      expect(await log.open()).toBe(PARTITIONS + 2);
      await log.of(4).append(record(2), 2);
      expect(await log.of(4).newestPane()).toBe(2);
      expect(await log.of(2).newestPane()).toBe(1);
    });

    it('is created and extended once if several processes open it at the same time', async () => {
      const harness = await harnessOf();
      const logs = await Promise.all([opened(harness), opened(harness), opened(harness)]);
      await harness.extend(PARTITIONS + 1);
      const counts = await Promise.all(logs.map((log) => log.open()));
      expect(counts).toEqual(logs.map(() => PARTITIONS + 1));
    });

    it('is rejected if it has more partitions than the event topics', async () => {
      const harness = await harnessOf();
      const wider = await harness.wider();
      cleanups.push(() => wider.close());
      await expect(wider.open()).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringMatching(/has 4 partitions, and .* 3/),
      });
    });
  });
}
