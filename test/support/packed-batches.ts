import { createGzip } from 'node:zlib';
import kafkajs, { CompressionTypes, type Producer } from 'kafkajs';

const { CompressionCodecs } = kafkajs;

interface Packed {
  readonly records: number;
  readonly bytes: number;
  /** Parts of the packed bytes that are gzip files of their own, one behind the other. */
  readonly members?: number;
}

/**
 * Writes one batch, packed with gzip, of `records` records of `bytes` bytes each. They are packed one
 * by one, so that all of them together are nowhere in memory; the broker accepts them.
 */
export async function sendPacked(
  producer: Producer,
  topic: string,
  partition: number,
  { records, bytes, members = 1 }: Packed,
): Promise<void> {
  const own = CompressionCodecs[CompressionTypes.GZIP];
  CompressionCodecs[CompressionTypes.GZIP] = () => ({
    compress: () => inMembers(records, Buffer.alloc(bytes, '.'), members),
    decompress: own().decompress,
  });
  try {
    const messages = Array.from({ length: records }, () => ({ value: '', partition }));
    await producer.send({ topic, messages, compression: CompressionTypes.GZIP });
  } finally {
    CompressionCodecs[CompressionTypes.GZIP] = own;
  }
}

async function inMembers(records: number, value: Buffer, members: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for (let m = 0; m < members; m++) {
    const [first, end] = [m, m + 1].map((n) => Math.floor((n * records) / members));
    parts.push(await packed(first!, end!, value));
  }
  return Buffer.concat(parts);
}

/** Of the records first … end − 1. */
async function packed(first: number, end: number, value: Buffer): Promise<Buffer> {
  const stream = createGzip();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve) => stream.on('end', () => resolve()));
  for (let from = first; from < end; from += 1_000) {
    const some = Array.from({ length: Math.min(1_000, end - from) }, (_, n) => from + n);
    // Of large values one at a time.
    for (const part of value.length < 1_000 ? [some] : some.map((n) => [n])) {
      const bytes = Buffer.concat(part.map((n) => record(n, value)));
      await new Promise<void>((resolve) => stream.write(bytes, () => resolve()));
    }
  }
  stream.end();
  await ended;
  return Buffer.concat(chunks);
}

/** As Kafka's protocol describes a record of format 2, without key, time difference and headers. */
function record(offsetDelta: number, value: Buffer): Buffer {
  const body = [
    Buffer.from([0, 0]),
    zigzag(offsetDelta),
    zigzag(-1),
    zigzag(value.length),
    value,
    Buffer.from([0]),
  ];
  const length = body.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([zigzag(length), ...body]);
}

function zigzag(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value < 0 ? -2 * value - 1 : 2 * value;
  for (; rest > 127; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}
