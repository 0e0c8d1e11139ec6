import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { LogSource, TopicRole } from '../../src/stream/ports.js';
import { itAtNight } from '../support/at-night.js';
import { RecordingHandlers } from './recording-handlers.js';

/** A log of its own for one test: two fresh topics and a group. */
export interface LogSourceHarness {
  /** A source of the harness's group. */
  source(): LogSource;
  /** A source whose topics differ in their number of partitions. */
  mismatchedSource(): Promise<LogSource>;
  /** A source of which one topic does not exist. */
  topiclessSource(): LogSource;
  produce(
    role: TopicRole,
    partition: number,
    values: readonly (string | Uint8Array | null)[],
  ): Promise<void>;
  /** Writes 1,500 records and loses the oldest 500 of them. */
  produceTrimmed(role: TopicRole, partition: number): Promise<void>;
  /** Deletes the topic and creates it again. */
  recreate(role: TopicRole): Promise<void>;
  /** Longer than a member may be silent. */
  readonly longSilenceMs: number;
  close(): Promise<void>;
}

const ROLES: readonly TopicRole[] = ['exposures', 'interactions'];
const WAIT = { timeout: 30_000, interval: 20 };

const numbered = (count: number, from = 0): string[] =>
  Array.from({ length: count }, (_, i) => `${i + from}`);

/** What every implementation of `LogSource` keeps to. */
export function logSourceContract(
  name: string,
  makeHarness: (partitions: number) => Promise<LogSourceHarness>,
): void {
  describe(`${name} as a log source`, () => {
    const cleanups: (() => Promise<void>)[] = [];
    afterEach(async () => {
      for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
    });

    async function harnessOf(partitions: number): Promise<LogSourceHarness> {
      const harness = await makeHarness(partitions);
      cleanups.push(() => harness.close());
      return harness;
    }

    async function started(
      source: LogSource,
      handlers = new RecordingHandlers(),
    ): Promise<{ source: LogSource; handlers: RecordingHandlers }> {
      cleanups.push(() => source.stop());
      await source.start(handlers);
      return { source, handlers };
    }

    it('delivers every record of every partition once and in order', async () => {
      const harness = await harnessOf(3);
      for (const role of ROLES) {
        for (let p = 0; p < 3; p++) await harness.produce(role, p, numbered(700, p * 10_000));
      }
      const { handlers } = await started(harness.source());
      await vi.waitFor(() => expect(handlers.count).toBe(4200), WAIT);
      for (const role of ROLES) {
        for (let p = 0; p < 3; p++) {
          expect(handlers.texts(role, p)).toEqual(numbered(700, p * 10_000));
          expect(handlers.of(role, p).map(({ offset }) => offset)).toEqual(
            numbered(700).map(Number),
          );
        }
      }
      expect(handlers.states).toEqual(['connected']);
    });

    it('delivers records that are written while it reads', async () => {
      const harness = await harnessOf(1);
      const { handlers } = await started(harness.source());
      for (let round = 0; round < 5; round++) {
        await harness.produce('interactions', 0, numbered(10, round * 10));
        await vi.waitFor(() => expect(handlers.count).toBe((round + 1) * 10), WAIT);
      }
      expect(handlers.texts('interactions', 0)).toEqual(numbered(50));
    });

    it('delivers a batch of a partition only after the previous one is done', async () => {
      const harness = await harnessOf(2);
      const handlers = new RecordingHandlers();
      handlers.during = () => sleep(15);
      await started(harness.source(), handlers);
      for (let round = 0; round < 12; round++) {
        for (const role of ROLES) {
          for (let p = 0; p < 2; p++) await harness.produce(role, p, numbered(5, round * 5));
        }
      }
      await vi.waitFor(() => expect(handlers.count).toBe(240), WAIT);
      expect(handlers.mostAtOnce).toBe(1);
      expect(handlers.texts('exposures', 1)).toEqual(numbered(60));
    });

    it('redelivers a batch that was not taken without losing or repeating records', async () => {
      const harness = await harnessOf(2);
      const handlers = new RecordingHandlers();
      let refused = 0;
      handlers.isTaken = ({ partition }) => partition === 1 || ++refused > 3;
      for (let p = 0; p < 2; p++) await harness.produce('exposures', p, numbered(30));
      const { source } = await started(harness.source(), handlers);
      await vi.waitFor(() => expect(handlers.count).toBe(60), WAIT);
      await harness.produce('exposures', 0, ['new']);
      await vi.waitFor(() => expect(handlers.count).toBe(61), WAIT);
      expect(refused).toBeGreaterThan(3);
      expect(handlers.texts('exposures', 0)).toEqual([...numbered(30), 'new']);
      expect(handlers.texts('exposures', 1)).toEqual(numbered(30));
      const ends = await source.ends();
      expect(ends.find((e) => e.role === 'exposures' && e.partition === 0)).toMatchObject({
        next: 31,
      });
    });

    it('starts at the beginning, the end or an offset, as requested per topic', async () => {
      const harness = await harnessOf(2);
      for (const role of ROLES) {
        for (let p = 0; p < 2; p++) await harness.produce(role, p, numbered(100));
      }
      const handlers = new RecordingHandlers();
      handlers.start = (partition) =>
        partition === 0
          ? { exposures: 'earliest', interactions: 'latest' }
          : { exposures: 37, interactions: 100 };
      await started(harness.source(), handlers);
      for (const role of ROLES) {
        for (let p = 0; p < 2; p++) await harness.produce(role, p, ['new']);
      }
      await vi.waitFor(() => expect(handlers.count).toBe(101 + 1 + 64 + 1), WAIT);
      expect(handlers.texts('exposures', 0)).toEqual([...numbered(100), 'new']);
      expect(handlers.texts('interactions', 0)).toEqual(['new']);
      expect(handlers.texts('exposures', 1)).toEqual([...numbered(63, 37), 'new']);
      expect(handlers.texts('interactions', 1)).toEqual(['new']);
      expect(handlers.gaps).toEqual([]);
    });

    it('loses and repeats nothing when stopped in mid-stream', async () => {
      const harness = await harnessOf(2);
      for (const role of ROLES) {
        for (let p = 0; p < 2; p++) await harness.produce(role, p, numbered(3000));
      }
      let handlers = new RecordingHandlers();
      for (let run = 0; run < 3; run++) {
        handlers = new RecordingHandlers(handlers);
        const before = handlers.count;
        const { source } = await started(harness.source(), handlers);
        await vi.waitFor(() => expect(handlers.count).toBeGreaterThan(before), WAIT);
        await source.stop();
        const afterStop = handlers.count;
        await harness.produce('exposures', 0, [`after run ${run}`]);
        await sleep(30);
        expect(handlers.count).toBe(afterStop);
      }
      const last = new RecordingHandlers(handlers);
      await started(harness.source(), last);
      await vi.waitFor(() => expect(last.count).toBe(12_003), WAIT);
      const after = numbered(3).map((run) => `after run ${run}`);
      expect(last.texts('exposures', 0)).toEqual([...numbered(3000), ...after]);
      expect(last.texts('interactions', 1)).toEqual(numbered(3000));
    });

    it('shares the partitions among members and reassigns them when one leaves', async () => {
      const harness = await harnessOf(4);
      // One checkpoint for both members, as a shared store would be.
      const store = new RecordingHandlers();
      const first = await started(harness.source(), new RecordingHandlers(store));
      expect([...first.handlers.held]).toEqual([0, 1, 2, 3]);
      const writing = (async () => {
        for (let round = 0; round < 40; round++) {
          for (const role of ROLES) {
            for (let p = 0; p < 4; p++) await harness.produce(role, p, numbered(5, round * 5));
          }
          await sleep(10);
        }
      })();
      const second = await started(harness.source(), new RecordingHandlers(store));
      await vi.waitFor(() => {
        expect(first.handlers.held.size).toBe(2);
        expect(second.handlers.held.size).toBe(2);
      }, WAIT);
      expect(new Set([...first.handlers.held, ...second.handlers.held]).size).toBe(4);
      expect(first.handlers.revocations.flat()).toHaveLength(2);
      await first.source.stop();
      await vi.waitFor(() => expect(second.handlers.held.size).toBe(4), WAIT);
      expect(second.handlers.revocations).toEqual([]);
      await writing;
      await vi.waitFor(() => expect(store.count).toBe(1600), WAIT);
      for (const role of ROLES) {
        for (let p = 0; p < 4; p++) expect(store.texts(role, p)).toEqual(numbered(200));
      }
    });

    it('gives both topics of a partition to the same member', async () => {
      const harness = await harnessOf(3);
      const members: { handlers: RecordingHandlers }[] = [];
      for (let m = 0; m < 2; m++) members.push(await started(harness.source()));
      await vi.waitFor(() => {
        expect(members.map(({ handlers }) => handlers.held.size).sort()).toEqual([1, 2]);
      }, WAIT);
      for (const role of ROLES) {
        for (let p = 0; p < 3; p++) await harness.produce(role, p, ['x']);
      }
      await vi.waitFor(() => {
        expect(members.reduce((sum, { handlers }) => sum + handlers.count, 0)).toBe(6);
      }, WAIT);
      for (const { handlers } of members) {
        for (let p = 0; p < 3; p++) {
          const expected = handlers.held.has(p) ? 1 : 0;
          for (const role of ROLES) expect(handlers.of(role, p)).toHaveLength(expected);
        }
      }
    });

    it('delivers null and empty values unchanged', async () => {
      const harness = await harnessOf(1);
      await harness.produce('interactions', 0, ['a', null, '', 'b']);
      const { handlers } = await started(harness.source());
      await vi.waitFor(() => expect(handlers.count).toBe(4), WAIT);
      expect(handlers.texts('interactions', 0)).toEqual(['a', null, '', 'b']);
    });

    it('delivers a record of 900 kB byte for byte between small ones', async () => {
      const harness = await harnessOf(1);
      const big = Uint8Array.from({ length: 900_000 }, (_, i) => (i * 31) % 256);
      await harness.produce('exposures', 0, ['before']);
      await harness.produce('exposures', 0, [big]);
      await harness.produce('exposures', 0, ['after']);
      const { handlers } = await started(harness.source());
      await vi.waitFor(() => expect(handlers.count).toBe(3), WAIT);
      const value = handlers.of('exposures', 0)[1]?.value as Uint8Array;
      expect(Buffer.compare(value, big)).toBe(0);
    });

    itAtNight('stays a member while a handler takes longer than the session timeout', async () => {
      const harness = await harnessOf(2);
      const handlers = new RecordingHandlers();
      let isFirst = true;
      handlers.during = async () => {
        if (!isFirst) return;
        isFirst = false;
        await sleep(harness.longSilenceMs);
      };
      await harness.produce('interactions', 0, numbered(10));
      await started(harness.source(), handlers);
      await vi.waitFor(() => expect(handlers.count).toBe(10), WAIT);
      await harness.produce('interactions', 1, ['later']);
      await vi.waitFor(() => expect(handlers.count).toBe(11), WAIT);
      expect(handlers.assignments).toHaveLength(1);
      expect(handlers.revocations).toEqual([]);
      expect(handlers.states).toEqual(['connected']);
    });

    it('reports each time that a partition is read to its end, also if it is empty', async () => {
      const harness = await harnessOf(1);
      await harness.produce('interactions', 0, numbered(50));
      const { handlers } = await started(harness.source());
      const ends = (role: TopicRole) => new Set(handlers.caughtUpAt.get(`${role}/0`) ?? []);
      await vi.waitFor(() => {
        expect(ends('exposures')).toEqual(new Set([0]));
        expect(ends('interactions')).toEqual(new Set([50]));
      }, WAIT);
      await harness.produce('interactions', 0, ['one more']);
      await vi.waitFor(() => expect(ends('interactions')).toEqual(new Set([50, 51])), WAIT);
    });

    it('reports the current end and position, counting records in progress as unread', async () => {
      const harness = await harnessOf(2);
      await harness.produce('interactions', 0, numbered(50));
      const handlers = new RecordingHandlers();
      let goOn!: () => void;
      const gate = new Promise<void>((resolve) => {
        goOn = resolve;
      });
      handlers.during = () => gate;
      const { source } = await started(harness.source(), handlers);
      const endOf = async (role: TopicRole, partition: number) =>
        (await source.ends()).find((one) => one.role === role && one.partition === partition);
      await vi.waitFor(() => expect(handlers.mostAtOnce).toBe(1), WAIT);
      expect(await endOf('interactions', 0)).toMatchObject({ next: 0, end: 50 });
      expect(await endOf('exposures', 1)).toMatchObject({ next: 0, end: 0 });
      await harness.produce('interactions', 0, numbered(7));
      expect(await endOf('interactions', 0)).toMatchObject({ next: 0, end: 57 });
      goOn();
      await vi.waitFor(
        async () => expect(await endOf('interactions', 0)).toMatchObject({ next: 57, end: 57 }),
        WAIT,
      );
      expect(await source.ends()).toHaveLength(4);
      await source.stop();
      expect(await source.ends()).toEqual([]);
    });

    it('reports lost records and continues after the gap', async () => {
      const harness = await harnessOf(1);
      await harness.produceTrimmed('interactions', 0);
      const handlers = new RecordingHandlers();
      handlers.start = { interactions: 100 };
      await started(harness.source(), handlers);
      await vi.waitFor(() => expect(handlers.count).toBe(1000), WAIT);
      expect(handlers.gaps).toEqual([['interactions', 0, 100, 500]]);
      expect(handlers.of('interactions', 0)[0]?.offset).toBe(500);
    });

    it('starts at the first remaining record of a trimmed log without a gap', async () => {
      const harness = await harnessOf(1);
      await harness.produceTrimmed('interactions', 0);
      const { handlers } = await started(harness.source());
      await vi.waitFor(() => expect(handlers.count).toBe(1000), WAIT);
      expect(handlers.gaps).toEqual([]);
    });

    it('rereads a log shorter than its checkpoint from the beginning and reports it', async () => {
      const harness = await harnessOf(1);
      await harness.produce('interactions', 0, numbered(5));
      const handlers = new RecordingHandlers();
      handlers.start = { interactions: 1000 };
      await started(harness.source(), handlers);
      await vi.waitFor(() => expect(handlers.count).toBe(5), WAIT);
      const change = { kind: 'recreated', expected: 1000, found: 0 };
      expect(handlers.changes).toEqual([['interactions', 0, change]]);
      expect(handlers.gaps).toEqual([]);
    });

    it.each([
      ['shorter', 20],
      ['as long', 50],
      ['longer', 80],
    ])(
      'rereads from the beginning a log that was recreated while it was away and is %s',
      async (_, length) => {
        const harness = await harnessOf(1);
        await harness.produce('interactions', 0, numbered(50));
        const first = await started(harness.source());
        await vi.waitFor(() => expect(first.handlers.count).toBe(50), WAIT);
        await first.source.stop();
        await harness.recreate('interactions');
        await harness.produce('interactions', 0, numbered(length, 1000));
        const { handlers } = await started(harness.source(), new RecordingHandlers(first.handlers));
        const wanted = [...numbered(50), ...numbered(length, 1000)];
        await vi.waitFor(() => expect(handlers.count).toBe(wanted.length), WAIT);
        expect(handlers.texts('interactions', 0)).toEqual(wanted);
        const change = { kind: 'recreated', expected: 50, found: 0 };
        expect(handlers.changes).toEqual([['interactions', 0, change]]);
        expect(handlers.gaps).toEqual([]);
        await harness.produce('interactions', 0, ['on']);
        await vi.waitFor(() => expect(handlers.texts('interactions', 0).at(-1)).toBe('on'), WAIT);
      },
    );

    it('rereads from the beginning a log that is recreated while it reads', async () => {
      const harness = await harnessOf(1);
      await harness.produce('interactions', 0, numbered(50));
      const { handlers } = await started(harness.source());
      await vi.waitFor(() => expect(handlers.count).toBe(50), WAIT);
      await harness.recreate('interactions');
      await harness.produce('interactions', 0, numbered(80, 1000));
      const wanted = [...numbered(50), ...numbered(80, 1000)];
      await vi.waitFor(() => expect(handlers.count).toBe(wanted.length), WAIT);
      expect(handlers.texts('interactions', 0)).toEqual(wanted);
      const change = { kind: 'recreated', expected: 50, found: 0 };
      expect(handlers.changes).toEqual([['interactions', 0, change]]);
      expect(handlers.failures).toEqual([]);
    });

    it('continues the same log after a stop if records were appended meanwhile', async () => {
      const harness = await harnessOf(1);
      await harness.produce('interactions', 0, numbered(50));
      const first = await started(harness.source());
      await vi.waitFor(() => expect(first.handlers.count).toBe(50), WAIT);
      await first.source.stop();
      const again = await started(harness.source(), new RecordingHandlers(first.handlers));
      await vi.waitFor(() => {
        expect(again.handlers.caughtUpAt.get('interactions/0')).toContain(50);
      }, WAIT);
      await again.source.stop();
      await harness.produce('interactions', 0, numbered(30, 50));
      const { handlers } = await started(harness.source(), new RecordingHandlers(again.handlers));
      await vi.waitFor(() => expect(handlers.count).toBe(80), WAIT);
      expect(handlers.texts('interactions', 0)).toEqual(numbered(80));
      expect([...again.handlers.changes, ...handlers.changes]).toEqual([]);
    });

    it('stops when a handler fails and passes on its error', async () => {
      const harness = await harnessOf(1);
      const handlers = new RecordingHandlers();
      const mine = new Error('mine');
      let calls = 0;
      handlers.during = async () => {
        calls++;
        throw mine;
      };
      await started(harness.source(), handlers);
      await harness.produce('interactions', 0, ['a']);
      await vi.waitFor(() => expect(handlers.failures).toEqual([mine]), WAIT);
      await harness.produce('interactions', 0, ['b']);
      await sleep(300);
      expect(calls).toBe(1);
    });

    it('does not start if the handlers reject the assignment', async () => {
      const harness = await harnessOf(1);
      const handlers = new RecordingHandlers();
      const mine = new Error('no state');
      handlers.assigned = () => Promise.reject(mine);
      await expect(started(harness.source(), handlers)).rejects.toBe(mine);
      expect(handlers.failures).toEqual([]);
    });

    it('rejects topics with different numbers of partitions', async () => {
      const harness = await harnessOf(1);
      await expect(started(await harness.mismatchedSource())).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringContaining('the same number of partitions'),
      });
    });

    it('names a topic that does not exist', async () => {
      const harness = await harnessOf(1);
      await expect(started(harness.topiclessSource())).rejects.toMatchObject({
        code: 'BROKER',
        message: expect.stringContaining('create it first'),
      });
    });

    it('can be stopped without having been started, and twice', async () => {
      const harness = await harnessOf(1);
      await harness.source().stop();
      const { source } = await started(harness.source());
      await source.stop();
      await source.stop();
    });
  });
}
