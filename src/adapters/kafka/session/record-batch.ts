import type { KafkaMessage } from 'kafkajs';
import type { RecordBatch, TopicRole } from '../../../stream/ports.js';
import { markOfMessage } from './record-mark.js';

/**
 * The records from offset `next` on, as columns; undefined where there is none. Values are the
 * client's own buffers, not copies.
 */
export function toRecordBatch(
  role: TopicRole,
  partition: number,
  messages: readonly KafkaMessage[],
  next: number,
  highWatermark: number,
): Required<RecordBatch> | undefined {
  let from = 0;
  while (from < messages.length && Number(messages[from]?.offset) < next) from++;
  const count = messages.length - from;
  if (count === 0) return undefined;
  const offsets = new Float64Array(count);
  const recordTs = new Float64Array(count);
  const values = new Array<Uint8Array | null>(count);
  const first = Number(messages[from]?.offset);
  // Offsets come as text. Where nothing was compacted away the two ends tell all of them.
  const isDense = Number(messages.at(-1)?.offset) - first === count - 1;
  for (let r = 0; r < count; r++) {
    const message = messages[from + r] as KafkaMessage;
    offsets[r] = isDense ? first + r : Number(message.offset);
    recordTs[r] = Number(message.timestamp);
    values[r] = message.value;
  }
  const mark = (r: number) => markOfMessage(messages[from + r]!);
  return { role, partition, offsets, values, recordTs, highWatermark, mark };
}
