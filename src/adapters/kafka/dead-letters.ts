import type { DeadLetter, DeadLetterSink, LogWriter, OutgoingRecord } from '../../stream/ports.js';
import { RecordsTooLarge } from './writer.js';

/**
 * Largest value, in bytes: below the broker's usual limit of 1 MB per record, minus room for
 * headers.
 */
const MAX_VALUE_BYTES = 900_000;
const MAX_DETAIL_CHARS = 1_000;

/**
 * Writes rejected events to a topic. The value is the original bytes; headers give the `reason`,
 * the `detail`, and the `topic`, `partition` and `offset` of the original. A value above the limit
 * is cut, and the header `original-bytes` gives its size. If the topic rejects the record as too
 * large even so, it is written with an empty value.
 */
export class TopicDeadLetters implements DeadLetterSink {
  /** The sink closes `writer`. */
  constructor(
    private readonly writer: LogWriter,
    private readonly topic: string,
    private readonly maxValueBytes = MAX_VALUE_BYTES,
  ) {}

  async write(letters: readonly DeadLetter[]): Promise<void> {
    if (letters.length === 0) return;
    const records = letters.map((letter) => recordOf(letter, this.maxValueBytes));
    try {
      await this.writer.send(this.topic, records);
    } catch (error) {
      if (!(error instanceof RecordsTooLarge)) throw error;
      const large = letters.filter((_, n) => error.records.includes(records[n]!));
      await this.writer.send(
        this.topic,
        large.map((letter) => recordOf(letter, 0)),
      );
    }
  }

  close(): Promise<void> {
    return this.writer.close();
  }
}

function recordOf({ detail, value, ...letter }: DeadLetter, maxBytes: number): OutgoingRecord {
  const { reason, topic, partition, offset } = letter;
  const isCut = value.length > maxBytes;
  return {
    key: null,
    value: isCut ? value.subarray(0, maxBytes) : value,
    headers: {
      reason,
      detail: detail.slice(0, MAX_DETAIL_CHARS),
      topic,
      partition: `${partition}`,
      offset: `${offset}`,
      ...(isCut ? { 'original-bytes': `${value.length}` } : {}),
    },
  };
}
