import type { IHeaders, KafkaMessage } from 'kafkajs';
import type { LogView } from '../../stream/files/log-check.js';
import type { SourceRecord } from '../../stream/intake/shuffle.js';
import { markOf, type RecordMark } from '../../stream/read/record-mark.js';
import { recordTime } from './record-time.js';

/**
 * A message with the header of its batch. The client provides this header, although its types lack
 * it.
 */
interface InBatch {
  readonly batchContext?: { readonly partitionLeaderEpoch: number };
}

/** Epoch of the leader that wrote the record; −1 in formats before Kafka 0.11. */
export function epochOf(message: KafkaMessage): number {
  return (message as InBatch).batchContext?.partitionLeaderEpoch ?? -1;
}

export function markOfMessage(message: KafkaMessage): RecordMark {
  const { offset, timestamp, key, value } = message;
  const epoch = epochOf(message);
  return markOf({
    offset: Number(offset),
    ts: Number(timestamp),
    epoch,
    key,
    value,
  });
}

/** View of fetched messages by which `LogCheck` compares a log with the records read before. */
export function viewOf(messages: readonly KafkaMessage[], next: number, high: number): LogView {
  return {
    count: messages.length,
    offset: (r) => Number(messages[r]!.offset),
    epoch: (r) => epochOf(messages[r]!),
    mark: (r) => markOfMessage(messages[r]!),
    next,
    high,
  };
}

/** Convert a message of a source topic, whatever format its value has. */
export function sourceRecord(
  topic: string,
  partition: number,
  { key, value, headers, offset, timestamp }: KafkaMessage,
): SourceRecord {
  return {
    from: {
      topic,
      partition,
      offset,
      key: key?.toString() ?? null,
      headers: texts(headers),
    },
    value,
    ts: recordTime(timestamp),
    frame: frameHeader(headers),
  };
}

/** The header that identifies a value's schema, if there is one. */
export function frameHeader(headers: IHeaders | undefined): Uint8Array | undefined {
  const header = headers?.['__value_schema_id'];
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
