import { setImmediate } from 'node:timers/promises';
import type { EachBatchPayload, Kafka, KafkaMessage } from 'kafkajs';
import { expect, it } from 'vitest';
import { PartitionReader } from '../../../../src/adapters/kafka/partition-reader.js';
import type { Position } from '../../../../src/adapters/kafka/position.js';
import type { RecordBatch, SourceHandlers } from '../../../../src/stream/ports.js';
import { RecordTrail } from '../../../../src/stream/read/record-mark.js';

function message(offset: number, value: Buffer = Buffer.from(`v${offset}`)): KafkaMessage {
  const body = { key: null, value, attributes: 0, headers: {} };
  return { offset: `${offset}`, timestamp: '1', ...body };
}

function fetched(offsets: readonly number[], value?: Buffer): EachBatchPayload {
  const batch = {
    topic: 'interactions',
    partition: 0,
    highWatermark: '9',
    messages: offsets.map((offset) => message(offset, value)),
    firstOffset: () => `${offsets[0]}`,
    lastOffset: () => `${offsets.at(-1)}`,
  };
  const client = { isRunning: () => true, isStale: () => false, heartbeat: async () => {} };
  return { batch, ...client, resolveOffset: () => {} } as unknown as EachBatchPayload;
}

/** A reader of one partition whose handlers say `again` until there is room. */
async function reading() {
  const position: Position = {
    role: 'interactions',
    topic: 'interactions',
    partition: 0,
    next: 0,
    high: 9,
    trail: new RecordTrail([]),
    epoch: undefined,
    isDoubtful: false,
    check: undefined,
  };
  const seen: string[] = [];
  const room = { isThere: false };
  const asides: Promise<void>[] = [];
  const handlers = {
    batch: async ({ offsets }: RecordBatch) => {
      if (!room.isThere) return 'again';
      seen.push(`took ${[...offsets].join()}`);
      return undefined;
    },
  } as unknown as SourceHandlers;
  const reader = new PartitionReader({} as Kafka, handlers, 1_000, {
    seek: (_, offset) => seen.push(`seek ${offset}`),
    pause: () => seen.push('pause'),
    resume: () => seen.push('resume'),
    aside: (work) => asides.push(work),
  });
  await reader.take([position]);
  return { reader, position, seen, room, asides };
}

it('pauses a partition without room for its records, and later resumes behind them', async () => {
  const { reader, seen, room, asides } = await reading();
  await reader.read(fetched([0, 1, 2]));
  for (let turn = 0; turn < 5; turn++) await setImmediate();
  expect(seen).toEqual(['pause']);
  expect(reader.isBusy).toBe(false);
  expect(reader.isFetching).toBe(false);
  room.isThere = true;
  await Promise.all(asides);
  expect(seen).toEqual(['pause', 'took 0,1,2', 'seek 3', 'resume']);
  expect(reader.isFetching).toBe(true);
});

it('drops held records when the reader is paused, without touching the client', async () => {
  const { reader, seen, asides } = await reading();
  await reader.read(fetched([0, 1]));
  reader.pause();
  await reader.drained();
  await Promise.all(asides);
  expect(seen).toEqual(['pause']);
});

it('fetches held records again if the log is in doubt', async () => {
  const { reader, seen, asides } = await reading();
  await reader.read(fetched([0, 1]));
  reader.doubt();
  await Promise.all(asides);
  expect(seen).toEqual(['pause', 'seek 0', 'resume']);
});

it('holds at most 64 MiB of records', async () => {
  const { reader, seen, asides } = await reading();
  const large = Buffer.alloc(2 ** 25);
  await reader.read(fetched([0, 1, 2], large));
  expect([seen, asides]).toEqual([[], []]);
  await reader.read(fetched([0, 1], large));
  expect(seen).toEqual(['pause']);
  reader.pause();
  await reader.drained();
});

it('stops reading if a handler fails on held records', async () => {
  const { reader, room, asides } = await reading();
  await reader.read(fetched([0]));
  Object.defineProperty(room, 'isThere', {
    get: () => {
      throw new Error('full');
    },
  });
  await expect(Promise.all(asides)).rejects.toThrow('processing the records failed');
  await reader.drained();
});
