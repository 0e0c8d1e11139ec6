import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { SourceRecord } from '../../stream/intake/shuffle.js';
import { SCHEMA_HEADER } from './partition-reader.js';

/** A record of a topic of any shape, as it is read. */
export function sourceRecord(
  topic: string,
  partition: number,
  { key, value, headers, offset, timestamp }: KafkaMessage,
): SourceRecord {
  return {
    from: { topic, partition, offset, key: key?.toString() ?? null, headers: texts(headers) },
    value,
    ts: Number(timestamp),
    frame: frameHeader(headers),
  };
}

/** Where producers name a value's schema that do not frame it. */
function frameHeader(headers: IHeaders | undefined): Uint8Array | undefined {
  const header = headers?.[SCHEMA_HEADER];
  if (header === undefined) return undefined;
  return Buffer.from(Array.isArray(header) ? (header[0] ?? '') : header);
}

function texts(headers: IHeaders | undefined): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(headers ?? {}).map(([name, value]) => {
      const first = Array.isArray(value) ? value[0] : value;
      return [name, first?.toString()];
    }),
  );
}
