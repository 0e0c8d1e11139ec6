import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Decoder } from '../../../../src/events/decode.js';
import { encodeEvent } from '../../../../src/events/encode.js';
import { Pipeline } from '../../../../src/stream/pipeline.js';
import type {
  LogEnd,
  LogSource,
  RecordBatch,
  SourceHandlers,
} from '../../../../src/stream/ports.js';
import { quickOptions } from '../../../support/log.js';
import { TOPICS } from '../../../support/restarts.js';

const TEN_MINUTES_MS = 600_000;
const START = 1_700_000_000_000;
/** More than are taken in between two turns. */
const RECORDS = 3_000;

class ScriptedSource implements LogSource {
  handlers!: SourceHandlers;

  rejoin(why: string): never {
    throw new Error(why);
  }

  async start(handlers: SourceHandlers): Promise<void> {
    this.handlers = handlers;
  }

  /** Of each partition, where its log ends: all of it is read. */
  readonly read = new Map<string, LogEnd>();

  async ends() {
    return [...this.read.values()];
  }

  async stop(): Promise<void> {}
}

interface Written {
  /** When each was written; */
  readonly records: readonly number[];
  /** its event is so much later, ms. */
  readonly ahead?: number;
  readonly partition?: number;
  readonly from?: number;
  /** How many more the log holds. */
  readonly unread?: number;
}

function aBatch({ records, ahead = 0, partition = 0, from = 0, unread = 0 }: Written): RecordBatch {
  const values = records.map((ts, n) => {
    const event = { id: `${partition}-${from + n}`, ts: ts + ahead, user: 'u', item: 'a' };
    return Buffer.from(encodeEvent({ type: 'interaction', ...event }));
  });
  return {
    role: 'interactions',
    partition,
    values,
    highWatermark: from + records.length + unread,
    offsets: Float64Array.from(values, (_, n) => from + n),
    recordTs: Float64Array.from(records),
  };
}

it('a batch that passed the clock check is not refused if the clock steps back', async () => {
  let wall = START;
  let elapsed = 0;
  const source = new ScriptedSource();
  const pipeline = new Pipeline(source, {
    monitor: quickOptions(),
    topics: TOPICS,
    start: 'earliest',
    idleMs: 60_000,
    decoder: new Decoder({ maxFutureMs: 60_000 }),
    maxFutureMs: 60_000,
    now: () => wall,
    turns: {
      // Each slice is over at once, and in the first pause the clock is set back.
      now: () => {
        elapsed += 50;
        return elapsed;
      },
      next: async () => {
        wall = START - TEN_MINUTES_MS;
      },
    },
  });
  const outcomes: Record<string, number> = {};
  pipeline.applied$.subscribe((applied) => {
    applied.outcomes.forEach((outcome, count) => {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
    });
  });
  await pipeline.start();
  await source.handlers.assigned([0], 1, new AbortController().signal);
  wall = START;
  await source.handlers.batch(aBatch({ records: new Array(RECORDS).fill(START) }));
  expect(wall).toBe(START - TEN_MINUTES_MS);
  expect(outcomes).toEqual({ accepted: RECORDS });
  await pipeline.stop();
});

describe('a batch ahead of the clock', () => {
  const MINUTE_MS = 60_000;
  const PARTITIONS = 3;
  let off = 0;

  beforeEach(() => {
    off = 0;
    const toFake = ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] as const;
    vi.useFakeTimers({ toFake: [...toFake, 'Date', 'performance'], now: START });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** A pipeline that has read three partitions to their ends. */
  async function aReader() {
    const source = new ScriptedSource();
    const pipeline = new Pipeline(source, {
      monitor: quickOptions(),
      topics: TOPICS,
      start: 'earliest',
      idleMs: MINUTE_MS,
      decoder: new Decoder({ maxFutureMs: MINUTE_MS }),
      maxFutureMs: MINUTE_MS,
      now: () => Date.now() + off,
      turns: { now: () => performance.now(), next: async () => {} },
    });
    const outcomes: Record<string, number> = {};
    pipeline.applied$.subscribe((applied) => {
      applied.outcomes.forEach((outcome, count) => {
        outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
      });
    });
    await pipeline.start();
    const all = Array.from({ length: PARTITIONS }, (_, partition) => partition);
    await source.handlers.assigned(all, PARTITIONS, new AbortController().signal);
    const reachEnds = () => {
      for (const partition of all) source.handlers.caughtUp?.('interactions', partition);
    };
    const give = async (written: Written) => {
      const given = source.handlers.batch(aBatch(written));
      await vi.advanceTimersByTimeAsync(500);
      return given;
    };
    return { pipeline, outcomes, give, reachEnds };
  }

  /** Gives the same again for so long; @returns whether it was held all the time */
  async function isHeld(give: () => Promise<unknown>, ms: number) {
    for (const end = Date.now() + ms; Date.now() < end; ) {
      if ((await give()) !== 'again') return false;
    }
    return true;
  }

  it('is held until the clock is right, even if nothing else comes', async () => {
    const { pipeline, outcomes, give, reachEnds } = await aReader();
    reachEnds();
    for (const partition of [0, 1, 2]) {
      await give({ partition, records: new Array(20).fill(Date.now()) });
    }
    off = -20 * MINUTE_MS;
    const held = { from: 20, records: [Date.now(), Date.now()] };
    expect(await isHeld(() => give(held), 15 * MINUTE_MS)).toBe(true);
    expect(pipeline.clockSkewMs).toBeGreaterThan(19 * MINUTE_MS);
    off = 0;
    expect(await give(held)).toBeUndefined();
    expect(pipeline.clockSkewMs).toBe(0);
    expect(outcomes).toEqual({ accepted: 62 });
    await pipeline.stop();
  });

  it('is held even if it is the first since the start and has few records', async () => {
    const { pipeline, outcomes, give, reachEnds } = await aReader();
    off = -20 * MINUTE_MS;
    reachEnds();
    const held = { records: [Date.now(), Date.now()] };
    expect(await isHeld(() => give(held), 11 * MINUTE_MS)).toBe(true);
    expect(pipeline.clockSkewMs).toBeGreaterThan(19 * MINUTE_MS);
    off = 0;
    await give(held);
    expect(outcomes).toEqual({ accepted: 2 });
    await pipeline.stop();
  });

  it('is refused once another partition shows that the clock is right', async () => {
    const { pipeline, outcomes, give, reachEnds } = await aReader();
    reachEnds();
    const wrong = { records: new Array(3).fill(Date.now() + 120 * MINUTE_MS) };
    expect(await isHeld(() => give(wrong), 2 * MINUTE_MS)).toBe(true);
    reachEnds();
    await give({ partition: 1, records: new Array(4).fill(Date.now()) });
    expect(await give(wrong)).toBeUndefined();
    expect(pipeline.clockSkewMs).toBe(0);
    expect(outcomes).toEqual({ accepted: 4, future_timestamp: 3 });
    await pipeline.stop();
  });

  it('is held even if a partition that is still catching up agrees with the clock', async () => {
    const { pipeline, outcomes, give } = await aReader();
    off = -20 * MINUTE_MS;
    const old = new Array(15).fill(Date.now() + off);
    expect(await give({ partition: 1, records: old, unread: 99 })).toBeUndefined();
    const held = { records: new Array(15).fill(Date.now()) };
    expect(await isHeld(() => give(held), MINUTE_MS)).toBe(true);
    expect(outcomes).toEqual({ accepted: 15 });
    await pipeline.stop();
  });

  it('is not held for one wrong record while its log is catching up', async () => {
    const { pipeline, outcomes, give } = await aReader();
    const hourAgo = Date.now() - 60 * MINUTE_MS;
    const records = new Array(14).fill(hourAgo);
    records.push(Date.now() + 120 * MINUTE_MS, ...new Array(3).fill(Date.now()));
    expect(await give({ records, unread: 99 })).toBeUndefined();
    expect(outcomes).toEqual({ accepted: 17, future_timestamp: 1 });
    await pipeline.stop();
  });

  it.each([
    ['its partition has just been read to its end', true],
    ['nothing is known of its partition', false],
  ])(
    'is accepted if the clock is behind by less than the allowed future, while %s',
    async (_, isAtEnd) => {
      const { pipeline, outcomes, give, reachEnds } = await aReader();
      off = -50_000;
      if (isAtEnd) reachEnds();
      // Nearly a minute ahead of its record, and more than that ahead of the clock.
      expect(await give({ ahead: 55_000, records: [Date.now(), Date.now()] })).toBeUndefined();
      expect(pipeline.clockSkewMs).toBeGreaterThan(49_000);
      expect(outcomes).toEqual({ accepted: 2 });
      await give({ ahead: 65_000, from: 2, records: [Date.now()] });
      expect(outcomes).toEqual({ accepted: 2, future_timestamp: 1 });
      await pipeline.stop();
    },
  );

  it('is accepted if its events are within maxFuture of the true time', async () => {
    const { pipeline, outcomes, give, reachEnds } = await aReader();
    reachEnds();
    off = -40_000;
    await give({ records: new Array(5).fill(Date.now()) });
    const ahead = { ahead: 45_000, partition: 1, records: [Date.now()] };
    expect(await give(ahead)).toBeUndefined();
    expect(outcomes).toEqual({ accepted: 6 });
    await give({ ahead: 61_000, partition: 2, records: [Date.now()] });
    expect(outcomes).toEqual({ accepted: 6, future_timestamp: 1 });
    await pipeline.stop();
  });
});
