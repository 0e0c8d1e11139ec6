import { afterEach, describe, expect, it } from 'vitest';
import type { RoundLog, RoundRecord } from '../../src/stream/ports.js';

export interface RoundLogHarness {
  /** Another process's log of the same group. */
  open(): RoundLog;
  /** All that was appended is gone. */
  lose(): Promise<void>;
  close(): Promise<void>;
}

/** A log whose newest record can be taken away, as where a replica takes over that lacks it. */
export interface TailHarness extends RoundLogHarness {
  loseNewest(): Promise<void>;
}

/** A log at the other end of a cable. */
export interface CableHarness extends RoundLogHarness {
  cut(): Promise<void>;
  restore(): Promise<void>;
}

const WAIT_MS = 30_000;
const bytesOf = (text: string) => Buffer.from(text);
const textsOf = (records: readonly RoundRecord[]) =>
  records.map(({ bytes }) => Buffer.from(bytes).toString());

/** What every log of rounds does. */
export function roundLogContract(name: string, makeHarness: () => Promise<RoundLogHarness>): void {
  describe(`${name} as a log of rounds`, () => {
    const start = starter(makeHarness);

    it('gives nothing when the wait is over and nothing was ever appended', async () => {
      const { log } = await start();
      expect(await log.read(null, 10)).toEqual({ kind: 'found', records: [] });
    });

    it('gives all readers the records of several writers in one order', async () => {
      const { log, opened } = await start();
      const others = [opened(), opened()];
      await log.append(bytesOf('first'));
      const writers = [log, ...others].map(async (writer, w) => {
        for (let n = 0; n < 8; n++) await writer.append(bytesOf(`${w}.${n}`));
      });
      await Promise.all(writers);
      const seen = await Promise.all([log, ...others].map((reader) => readTo(reader, null, 25)));
      const [texts] = seen.map(textsOf);
      expect(texts![0]).toBe('first');
      for (const records of seen) expect(records).toEqual(seen[0]);
      for (const w of [0, 1, 2]) {
        const own = texts!.filter((text) => text.startsWith(`${w}.`));
        expect(own).toEqual(Array.from({ length: 8 }, (_, n) => `${w}.${n}`));
      }
    });

    it('goes on after any position, in any process', async () => {
      const { log, opened } = await start();
      for (const text of ['a', 'b', 'c', 'd']) await log.append(bytesOf(text));
      const records = await readTo(log, null, 4);
      for (const [n, { position }] of records.entries()) {
        const rest = await readTo(opened(), position, 3 - n);
        expect(textsOf(rest)).toEqual(['b', 'c', 'd'].slice(n));
      }
      // A reader may go back, too.
      expect(textsOf(await readTo(log, records[1]!.position, 2))).toEqual(['c', 'd']);
    });

    it('wakes two readers that wait, and keeps what is said twice', async () => {
      const { log, opened } = await start();
      const readers = [opened(), opened()];
      const reading = readers.map((reader) => readTo(reader, null, 2));
      await log.append(bytesOf('same'));
      await log.append(bytesOf('same'));
      for (const records of await Promise.all(reading)) {
        expect(textsOf(records)).toEqual(['same', 'same']);
        expect(records[0]!.position).not.toBe(records[1]!.position);
      }
    });

    it('keeps records of a megabyte and of no bytes as they are', async () => {
      const { log, opened } = await start();
      const large = Uint8Array.from({ length: 1_100_000 }, (_, n) => (n * 31) % 251);
      await Promise.all([log.append(large), opened().append(bytesOf('small'))]);
      await log.append(new Uint8Array(0));
      const records = await readTo(opened(), null, 3);
      const found = records.find(({ bytes }) => bytes.length === large.length);
      expect(Buffer.compare(found!.bytes, large)).toBe(0);
      expect(records[2]!.bytes.length).toBe(0);
      const last = await readTo(opened(), records[1]!.position, 1);
      expect(last[0]!.bytes.length).toBe(0);
    });

    it('ends a wait when it is closed', async () => {
      const { opened } = await start();
      const reader = opened();
      const reading = reader.read(null, WAIT_MS);
      // So that it waits by then.
      await new Promise((resolve) => setTimeout(resolve, 50));
      await reader.close();
      expect(await reading).toEqual({ kind: 'found', records: [] });
    });

    it('says so where what comes next was trimmed, and goes on where it begins', async () => {
      const { log, opened } = await start();
      for (const text of ['a', 'b', 'c']) await log.append(bytesOf(text));
      const [a, b] = await readTo(log, null, 3);
      await log.trim(b!.position);
      for (const after of [null, a!.position]) {
        const gone = await opened().read(after, 10);
        expect(gone).toMatchObject({ kind: 'gone', why: 'trimmed' });
        const from = gone.kind === 'gone' ? gone.from : '';
        expect(textsOf(await readTo(opened(), from, 1))).toEqual(['c']);
      }
      expect(textsOf(await readTo(opened(), b!.position, 1))).toEqual(['c']);
      // Twice is as once, and what lies before is trimmed already.
      await log.trim(b!.position);
      await log.trim(a!.position);
      expect(textsOf(await readTo(opened(), b!.position, 1))).toEqual(['c']);
    });

    it('goes on after all of it was trimmed', async () => {
      const { log, opened } = await start();
      await log.append(bytesOf('a'));
      const [a] = await readTo(log, null, 1);
      await log.trim(a!.position);
      expect(await opened().read(null, 10)).toMatchObject({ kind: 'gone', why: 'trimmed' });
      expect(await opened().read(a!.position, 10)).toEqual({ kind: 'found', records: [] });
      await log.append(bytesOf('b'));
      expect(textsOf(await readTo(opened(), a!.position, 1))).toEqual(['b']);
    });

    for (const isEmpty of [true, false]) {
      it(`notices a loss of all, ${isEmpty ? 'before' : 'after'} anything else was appended`, async () => {
        const { harness, log, opened } = await start();
        for (const text of ['a', 'b']) await log.append(bytesOf(text));
        const reader = opened();
        const [a, b] = await readTo(reader, null, 2);
        await harness.lose();
        if (!isEmpty) for (const text of ['x', 'y', 'z']) await log.append(bytesOf(text));
        for (const after of [a, b]) {
          const gone = await untilGone(reader, after!.position);
          expect(gone.why).toBe('lost');
          if (!isEmpty) {
            expect(textsOf(await readTo(reader, gone.from, 3))).toEqual(['x', 'y', 'z']);
          }
        }
        // A position of the log that was lost says nothing about this one.
        await log.append(bytesOf('last'));
        await log.trim(b!.position);
        const count = isEmpty ? 1 : 4;
        expect(textsOf(await readTo(opened(), null, count)).at(-1)).toBe('last');
      });
    }
  });
}

/** What a log does that may lose its end alone. */
export function roundLogTailContract(name: string, makeHarness: () => Promise<TailHarness>): void {
  describe(`${name} as a log of rounds that loses its end`, () => {
    const start = starter(makeHarness);

    it('notices a reader whose newest record was replaced by another', async () => {
      const { harness, log, opened } = await start();
      for (const text of ['a', 'b']) await log.append(bytesOf(text));
      const ahead = opened();
      const behind = opened();
      const [a, b] = await readTo(ahead, null, 2);
      await readTo(behind, null, 2);
      await harness.loseNewest();
      expect((await untilGone(ahead, b!.position)).why).toBe('lost');
      for (const text of ['c', 'd']) await log.append(bytesOf(text));
      expect((await untilGone(ahead, b!.position)).why).toBe('lost');
      expect(textsOf(await readTo(opened(), a!.position, 2))).toEqual(['c', 'd']);
    });
  });
}

/** What a log does that is somewhere else. */
export function roundLogCableContract(
  name: string,
  makeHarness: () => Promise<CableHarness>,
): void {
  describe(`${name} as a log of rounds behind a cable`, () => {
    const start = starter(makeHarness);

    it('fails with one clear line while it cannot be reached, then goes on', async () => {
      const { harness, log, opened } = await start();
      await log.append(bytesOf('a'));
      const reader = opened();
      const [a] = await readTo(reader, null, 1);
      const waiting = reader.read(a!.position, WAIT_MS).catch((error: Error) => error);
      await harness.cut();
      const failures = [
        await waiting,
        await log.append(bytesOf('b')).catch((error: Error) => error),
      ];
      for (const failure of failures) {
        expect(failure).toMatchObject({ code: expect.stringMatching(/^(STATE|BROKER)$/) });
        expect((failure as Error).message).not.toContain('\n');
      }
      await harness.restore();
      await untilDone(() => log.append(bytesOf('c')));
      const rest = await untilDone(() => readTo(reader, a!.position, 1));
      expect(['b', 'c']).toContain(textsOf(rest)[0]);
    });
  });
}

function starter<H extends RoundLogHarness>(makeHarness: () => Promise<H>) {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const each of open.splice(0).reverse()) await each.close();
  });
  return async () => {
    const harness = await makeHarness();
    open.push(harness);
    const opened = () => {
      const log = harness.open();
      open.push(log);
      return log;
    };
    return { harness, opened, log: opened() };
  };
}

/** So many records, however they come. */
async function readTo(log: RoundLog, after: string | null, count: number): Promise<RoundRecord[]> {
  const records: RoundRecord[] = [];
  const deadline = Date.now() + WAIT_MS;
  while (records.length < count && Date.now() < deadline) {
    const found = await log.read(records.at(-1)?.position ?? after, 500);
    if (found.kind === 'gone') throw new Error(`the log is gone: ${found.why}`);
    records.push(...found.records);
  }
  return records;
}

async function untilGone(log: RoundLog, after: string) {
  const deadline = Date.now() + WAIT_MS;
  while (Date.now() < deadline) {
    const found = await log.read(after, 200);
    if (found.kind === 'gone') return found;
  }
  throw new Error('the loss was not noticed');
}

/** Once the connection is there again. */
async function untilDone<T>(call: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
