import type { KafkaMessage } from 'kafkajs';
import type { SourceMark, SourceProgress } from '../../../stream/ingest/source-times.js';
import type { RecordBatch, RefusedRecords, TopicRole } from '../../../stream/ports.js';
import { sourceOfRecord } from '../../../stream/shuffle/record-sources.js';
import { refusedBy } from '../unpacking/refused-batch.js';
import { markOfMessage } from './record-mark.js';

type MarkedBatch = RecordBatch & Required<Pick<RecordBatch, 'mark'>>;

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
): MarkedBatch | undefined {
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
  let refused: Map<number, RefusedRecords> | undefined;
  let frames: Map<number, Uint8Array> | undefined;
  let sources: (SourceMark | SourceProgress | undefined)[] | undefined;
  for (let r = 0; r < count; r++) {
    const message = messages[from + r] as KafkaMessage;
    offsets[r] = isDense ? first + r : Number(message.offset);
    recordTs[r] = Number(message.timestamp);
    const source = sourceOfRecord(message.headers, message.value);
    if (source !== undefined) {
      sources ??= new Array<SourceMark | SourceProgress | undefined>(count);
      sources[r] = source;
    }
    const standsFor = refusedBy(message);
    const frame = message.headers?.[SCHEMA_HEADER];
    if (frame !== undefined) {
      frames ??= new Map();
      frames.set(r, Buffer.from(Array.isArray(frame) ? (frame[0] ?? '') : frame));
    }
    values[r] = standsFor === undefined ? message.value : NO_BYTES;
    if (standsFor !== undefined) {
      // Of a batch that was read in part already, what is left counts.
      const records = Math.min(
        standsFor.records,
        offsets[r] - (r > 0 ? offsets[r - 1] + 1 : next) + 1,
      );
      refused ??= new Map();
      refused.set(r, { ...standsFor, records });
    }
  }
  const mark = (r: number) => markOfMessage(messages[from + r]!);
  const batch = { role, partition, offsets, values, recordTs, highWatermark, mark };
  return {
    ...batch,
    ...(frames && { frames }),
    ...(refused && { refused }),
    ...(sources && { sources }),
  };
}

/** Where producers name a value's schema that do not frame it. */
export const SCHEMA_HEADER = '__value_schema_id';
const NO_BYTES = new Uint8Array(0);
