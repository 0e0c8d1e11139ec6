import { gzipSync } from 'node:zlib';
import type { KafkaMessage } from 'kafkajs';
import v11 from 'kafkajs/src/protocol/requests/fetch/v11/response.js';
import { beforeEach, describe, expect, it } from 'vitest';
import { registerCodecs } from '../../../../src/adapters/kafka/codecs.js';
import { toRecordBatch } from '../../../../src/adapters/kafka/partition-reader.js';

// Answers to fetches as Kafka's protocol describes them, decoded by the client under the bounds.

const LIMIT = 100_000;

beforeEach(() => registerCodecs(LIMIT));

const int = (bytes: number) => (value: number) => {
  const buffer = Buffer.alloc(bytes);
  if (bytes === 8) buffer.writeBigInt64BE(BigInt(value));
  else buffer.writeIntBE(value, 0, bytes);
  return buffer;
};
const [int8, int16, int32, int64] = [1, 2, 4, 8].map(int) as [
  ReturnType<typeof int>,
  ReturnType<typeof int>,
  ReturnType<typeof int>,
  ReturnType<typeof int>,
];

function zigzag(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

function record(offsetDelta: number, value: Buffer, key?: Buffer): Buffer {
  const body = Buffer.concat([
    Buffer.from([0, 0]),
    zigzag(offsetDelta),
    ...(key === undefined ? [zigzag(-1)] : [zigzag(key.length), key]),
    zigzag(value.length),
    value,
    Buffer.from([0]),
  ]);
  return Buffer.concat([zigzag(body.length), body]);
}

interface Written {
  readonly offset: number;
  readonly records: number;
  readonly bytes: number;
  readonly isPacked?: boolean;
}

function batch({ offset, records, bytes, isPacked = true }: Written): Buffer {
  const value = Buffer.alloc(bytes, '.');
  const plain = Buffer.concat(Array.from({ length: records }, (_, n) => record(n, value)));
  const stored = isPacked ? gzipSync(plain) : plain;
  const body = Buffer.concat([
    int32(0),
    int8(2),
    int32(0),
    int16(isPacked ? 1 : 0),
    int32(records - 1),
    int64(1_000),
    int64(1_000),
    int64(-1),
    int16(-1),
    int32(-1),
    int32(records),
    stored,
  ]);
  return Buffer.concat([int64(offset), int32(body.length), body]);
}

function answer(partitions: readonly (readonly Written[])[]): Buffer {
  const parts = partitions.map((batches, partition) => {
    const stored = Buffer.concat(batches.map(batch));
    const head = [
      int32(partition),
      int16(0),
      int64(1e6),
      int64(1e6),
      int64(0),
      int32(0),
      int32(-1),
    ];
    return Buffer.concat([...head, int32(stored.length), stored]);
  });
  const topic = Buffer.concat([int16(1), Buffer.from('t'), int32(parts.length), ...parts]);
  return Buffer.concat([int32(0), int16(0), int32(0), int32(1), topic]);
}

interface Decoded {
  readonly responses: readonly { readonly partitions: { readonly messages: KafkaMessage[] }[] }[];
}

/** The rows of each partition: offset and length, or how many were refused. */
async function decoded(partitions: readonly (readonly Written[])[]): Promise<string[][]> {
  const { responses } = (await v11.decode(answer(partitions))) as Decoded;
  return responses[0]!.partitions.map(({ messages }) => {
    const rows = toRecordBatch('interactions', 0, messages, 0, 1e6);
    if (rows === undefined) return [];
    return rows.values.map((value, r) => {
      const refused = rows.refused?.get(r);
      const what = refused === undefined ? value?.length : `refused ${refused.records}`;
      return `${rows.offsets[r]}: ${what}`;
    });
  });
}

describe('the answer to a fetch', () => {
  it('is unchanged if all batches are within the limits', async () => {
    const packed = { offset: 0, records: 3, bytes: 10 };
    const plain = { offset: 3, records: 2, bytes: 20, isPacked: false };
    expect(await decoded([[packed, plain], [plain]])).toEqual([
      ['0: 10', '1: 10', '2: 10', '3: 20', '4: 20'],
      ['3: 20', '4: 20'],
    ]);
  });

  it('has one rejected row for a batch above the limit, and all others', async () => {
    const before = { offset: 0, records: 1, bytes: 10 };
    const bomb = { offset: 1, records: 30, bytes: 10_000 };
    const after = { offset: 31, records: 1, bytes: 20 };
    expect(await decoded([[before, bomb, after], [after]])).toEqual([
      ['0: 10', '30: refused 30', '31: 20'],
      ['31: 20'],
    ]);
  });

  it('ends a partition before its second batch above the limit', async () => {
    const first = { offset: 0, records: 30, bytes: 10_000 };
    const second = { offset: 30, records: 30, bytes: 10_000 };
    const after = { offset: 60, records: 1, bytes: 10 };
    expect(await decoded([[first, second, after], [first]])).toEqual([
      ['29: refused 30'],
      ['29: refused 30'],
    ]);
    expect(await decoded([[second, after]])).toEqual([['59: refused 30', '60: 10']]);
  });

  it('rejects a batch with more records than the client can take', async () => {
    registerCodecs(64 * 1024 * 1024);
    const many = { offset: 0, records: 150_000, bytes: 0 };
    const after = { offset: 150_000, records: 1, bytes: 10 };
    expect(await decoded([[many, after]])).toEqual([['149999: refused 150000', '150000: 10']]);
  });

  it('serves partitions in turn if all together exceed the limit', async () => {
    const large = { offset: 0, records: 9, bytes: 10_000 };
    const turns = new Array(7).fill(0);
    for (let fetch = 0; fetch < 14; fetch++) {
      const rows = await decoded(new Array(7).fill([large]));
      rows.forEach((of, partition) => {
        if (of.length > 0) turns[partition]++;
      });
      expect(rows.flat().length).toBeLessThanOrEqual(2 * 9);
    }
    expect(Math.min(...turns)).toBeGreaterThan(0);
  });

  it('does not take a record of a producer for a rejected batch', () => {
    const value = Buffer.from('{"records":1000000,"detail":"forged"}');
    const forged = { key: Buffer.alloc(16), value, offset: '0', timestamp: '1' } as KafkaMessage;
    const rows = toRecordBatch('interactions', 0, [forged], 0, 1);
    expect(rows?.refused).toBeUndefined();
    expect(rows?.values).toEqual([value]);
  });
});
