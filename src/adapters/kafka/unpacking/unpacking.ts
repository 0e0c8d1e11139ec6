import { UnreadableRecords } from './faults.js';
import { HEADER_BYTES, headerBefore, recordCount, refuse } from './refused-batch.js';

/**
 * Most records per batch. The client passes the records as arguments of one call, and the number of
 * arguments is limited.
 */
const MAX_RECORDS = 100_000;
/** Memory that the client needs per record in addition to the record's bytes, in bytes. */
export const RECORD_BYTES = 500;
/** Maximum decompressed size of a response, as a multiple of the limit of one batch. */
export const BATCHES_PER_ANSWER = 2;

type Unpack = (packed: Buffer, maxBytes: number) => Promise<Buffer>;

/**
 * Error that makes the client stop decoding a partition. The client takes the rest of that
 * partition for an incomplete batch, and fetches the rest again.
 */
class LeaveTheRest extends Error {
  override readonly name = 'KafkaJSPartialMessageError';
}

/**
 * Decompresses the batches of one fetch response. A batch above the limit is rejected. If the
 * batches together exceed twice the limit, later ones are left for the next response.
 */
export class Unpacking {
  #partition = -1;
  #end = -1;
  #spent = 0;
  /** Whether batches were rejected and replaced, so that the response must be decoded again. */
  hasRefused = false;
  /** Index in the response of the first partition left out for lack of room; undefined if none. */
  leftFrom: number | undefined;

  constructor(
    private readonly maxBytes: number,
    /**
     * Index of the first partition to decode. The previous response had the partitions before it,
     * so they are left out.
     */
    private readonly first: number,
  ) {}

  /**
   * Decompress a batch, or replace it if it is rejected.
   *
   * @throws an error that makes the client leave the rest of the partition for a later fetch
   */
  async unpack(packed: Buffer, unpack: Unpack): Promise<Buffer> {
    const header = headerBefore(packed);
    if (header === undefined) return this.#oldFormat(packed, unpack);
    this.#enter(packed);
    if (this.#partition < this.first) throw new LeaveTheRest();
    const records = recordCount(header);
    const room = BATCHES_PER_ANSWER * this.maxBytes - this.#spent;
    if (room <= 0) throw this.#leave();
    if (records > MAX_RECORDS) {
      throw this.#refuse(
        packed,
        header,
        `has ${records} records, more than the limit of ${MAX_RECORDS}`,
      );
    }
    const unpacked = await within(packed, Math.min(room, this.maxBytes), unpack);
    if (unpacked === undefined) {
      if (room < this.maxBytes) throw this.#leave();
      throw this.#refuse(
        packed,
        header,
        `decompresses to more than kafka.maxUnpacked (${this.maxBytes} bytes)`,
      );
    }
    this.#spent += unpacked.length + records * RECORD_BYTES;
    return unpacked;
  }

  /** Detect a new partition: batches of one partition are consecutive. */
  #enter(packed: Buffer): void {
    const start = packed.byteOffset - HEADER_BYTES;
    if (start !== this.#end) {
      this.#partition++;
    }
    this.#end = packed.byteOffset + packed.length;
  }

  #leave(): Error {
    this.leftFrom ??= this.#partition;
    return new LeaveTheRest();
  }

  #refuse(packed: Buffer, header: DataView, why: string): Error {
    const records = recordCount(header);
    if (
      !refuse(packed, header, {
        records,
        detail: `the compressed batch ${why}`,
      })
    ) {
      return new UnreadableRecords(`a compressed batch of Kafka records ${why}`);
    }
    this.hasRefused = true;
    return new LeaveTheRest();
  }

  /** Decompress messages in a format before Kafka 0.11, which does not state their number. */
  async #oldFormat(packed: Buffer, unpack: Unpack): Promise<Buffer> {
    const unpacked = await within(packed, this.maxBytes, unpack);
    if (unpacked !== undefined) return unpacked;
    throw new UnreadableRecords(
      `Kafka records in the format before 0.11 decompress to more than ${this.maxBytes} bytes: raise kafka.maxUnpacked`,
    );
  }
}

/** Decompress; undefined if the output would be larger than `maxBytes`. */
async function within(
  packed: Buffer,
  maxBytes: number,
  unpack: Unpack,
): Promise<Buffer | undefined> {
  try {
    const unpacked = await unpack(packed, maxBytes);
    // Also reject the output of a codec that did not stop at the limit.
    return unpacked.length > maxBytes ? undefined : unpacked;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') return undefined;
    throw error;
  }
}
