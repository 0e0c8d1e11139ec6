import { createGzip } from 'node:zlib';
import kafkajs, { CompressionTypes, type Producer } from 'kafkajs';

const { CompressionCodecs } = kafkajs;

/**
 * Writes one batch, packed with gzip, of `records` records of `bytes` bytes each. They are packed one
 * by one, so that all of them together are nowhere in memory; the broker accepts them.
 */
export async function sendPacked(
  producer: Producer,
  topic: string,
  partition: number,
  { records, bytes }: { readonly records: number; readonly bytes: number },
): Promise<void> {
  const own = CompressionCodecs[CompressionTypes.GZIP];
  CompressionCodecs[CompressionTypes.GZIP] = () => ({
    compress: () => packed(records, Buffer.alloc(bytes, '.')),
    decompress: own().decompress,
  });
  try {
    const messages = Array.from({ length: records }, () => ({ value: '', partition }));
    await producer.send({ topic, messages, compression: CompressionTypes.GZIP });
  } finally {
    CompressionCodecs[CompressionTypes.GZIP] = own;
  }
}

async function packed(records: number, value: Buffer): Promise<Buffer> {
  const stream = createGzip();
  const chunks: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  const ended = new Promise<void>((resolve) => stream.on('end', () => resolve()));
  for (let from = 0; from < records; from += 1_000) {
    const some = Array.from({ length: Math.min(1_000, records - from) }, (_, n) => from + n);
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
