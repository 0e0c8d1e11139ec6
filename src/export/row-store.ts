import { ROW_BYTES, Rows } from './rows.js';

/** Number of partitions. A row's partition is the first byte of its pair's hash. */
export const PARTITIONS = 256;
/**
 * Capacity in rows of a partition's first, second and third chunk, and of all later ones. It starts
 * small because a small log has as many partitions as a large one.
 */
const CHUNK_ROWS = [32, 128, 512, 1024];

/** Store on disk for rows that do not fit into memory; one sequence of bytes per partition. */
export interface RowSpill {
  append(partition: number, bytes: readonly Uint8Array[]): Promise<void>;
  /** Read all bytes of a partition into a new buffer. */
  read(partition: number): Promise<ArrayBuffer>;
  replace(partition: number, bytes: Uint8Array): Promise<void>;
  /** Close the store and delete its data. */
  close(): Promise<void>;
}

/**
 * Rows by partition, in memory up to a limit, and on disk above it.
 *
 * All rows of a (user, item) pair are in one partition, so each pair can be processed with a single
 * partition in memory.
 */
export class RowStore {
  readonly #spill: () => Promise<RowSpill>;
  #chunks: Rows[][] = Array.from({ length: PARTITIONS }, () => []);
  #opening: Promise<RowSpill> | undefined;
  #opened: RowSpill | undefined;
  #heldBytes = 0;

  /** @param spill opens the store on disk when it is first needed. */
  constructor(
    private readonly maxBytes: number,
    spill: () => Promise<RowSpill>,
  ) {
    this.#spill = spill;
  }

  /** Find a chunk of a partition with room for one more row. */
  room(partition: number): Rows {
    const chunks = this.#chunks[partition];
    const last = chunks.length === 0 ? undefined : chunks[chunks.length - 1];
    if (last !== undefined && last.length < last.capacity) return last;
    const chunk = Rows.ofCapacity(CHUNK_ROWS[Math.min(chunks.length, CHUNK_ROWS.length - 1)]);
    chunks.push(chunk);
    this.#heldBytes += chunk.bytes.length;
    return chunk;
  }

  /** Whether there are rows on disk. */
  get hasSpilled(): boolean {
    return this.#opened !== undefined;
  }

  get isFull(): boolean {
    return this.#heldBytes > this.maxBytes;
  }

  /** Move the rows in memory to disk. */
  async spill(): Promise<void> {
    // Rows that arrive during the write go to new chunks.
    const held = this.#chunks;
    this.#chunks = held.map(() => []);
    this.#heldBytes = 0;
    this.#opening ??= this.#spill();
    this.#opened = await this.#opening;
    for (let p = 0; p < PARTITIONS; p++) {
      const filled = held[p].filter((chunk) => chunk.length > 0).map((chunk) => chunk.used);
      if (filled.length > 0) {
        await this.#opened.append(p, filled);
      }
    }
  }

  /** Read all rows of a partition. The result may be the store's own buffer. */
  async read(partition: number): Promise<Rows> {
    const held = this.#chunks[partition];
    if (this.#opened === undefined && held.length === 1) return held[0];
    const spilled = (await this.#opened?.read(partition)) ?? new ArrayBuffer(0);
    const heldBytes = held.reduce((sum, chunk) => sum + chunk.used.length, 0);
    if (heldBytes === 0) return new Rows(spilled, spilled.byteLength / ROW_BYTES);
    const all = new Uint8Array(spilled.byteLength + heldBytes);
    all.set(new Uint8Array(spilled));
    let at = spilled.byteLength;
    for (const chunk of held) {
      all.set(chunk.used, at);
      at += chunk.used.length;
    }
    return new Rows(all.buffer, all.length / ROW_BYTES);
  }

  /** Replace the rows of a partition. */
  async replace(partition: number, rows: Rows): Promise<void> {
    for (const chunk of this.#chunks[partition]) {
      this.#heldBytes -= chunk.bytes.length;
    }
    if (this.#opened !== undefined) {
      this.#chunks[partition] = [];
      await this.#opened.replace(partition, rows.used);
      return;
    }
    // Trim to size, since a chunk may have far more room than rows.
    const own = new Rows(rows.used.slice().buffer, rows.length);
    this.#chunks[partition] = [own];
    this.#heldBytes += own.bytes.length;
  }

  async close(): Promise<void> {
    await (await this.#opening)?.close();
    this.#opening = undefined;
    this.#opened = undefined;
  }
}
