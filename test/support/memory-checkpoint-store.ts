import type { CheckpointStore } from '../../src/stream/ports.js';

interface Kept {
  epoch: number;
  /** Newest first, at most two. */
  checkpoints: readonly Uint8Array[];
}

/** Checkpoints in memory, for tests: stores made from one another share what they keep. */
export class MemoryCheckpointStore implements CheckpointStore {
  readonly #partitions: Map<number, Kept>;

  constructor(shared?: MemoryCheckpointStore) {
    this.#partitions = shared ? shared.#partitions : new Map();
  }

  async takeEpoch(partition: number): Promise<number> {
    return ++this.#of(partition).epoch;
  }

  /** The epoch that was last taken of a partition. */
  epochOf(partition: number): number {
    return this.#of(partition).epoch;
  }

  async *load(partition: number): AsyncIterable<Uint8Array> {
    for (const checkpoint of this.#of(partition).checkpoints) yield checkpoint.slice();
  }

  async save(partition: number, epoch: number, chunks: readonly Uint8Array[]) {
    const kept = this.#of(partition);
    if (kept.epoch !== epoch) return 'fenced';
    const [newest] = kept.checkpoints;
    const bytes = Uint8Array.from(Buffer.concat(chunks));
    kept.checkpoints = newest === undefined ? [bytes] : [bytes, newest];
    return 'saved';
  }

  async replace(
    partition: number,
    epoch: number,
    chunks: readonly Uint8Array[] | undefined,
  ): Promise<'saved' | 'fenced'> {
    const kept = this.#of(partition);
    if (kept.epoch !== epoch) return 'fenced';
    kept.checkpoints = chunks === undefined ? [] : [Uint8Array.from(Buffer.concat(chunks))];
    return 'saved';
  }

  async partitions(): Promise<readonly number[]> {
    const all = [...this.#partitions].filter(([, { checkpoints }]) => checkpoints.length > 0);
    return all.map(([partition]) => partition).sort((a, b) => a - b);
  }

  async peek(partition: number, bytes: number): Promise<Uint8Array | undefined> {
    return this.#of(partition).checkpoints[0]?.slice(0, bytes);
  }

  async isWhole(partition: number): Promise<boolean> {
    return this.#of(partition).checkpoints.length > 0;
  }

  /** What a server does that evicts. */
  lose(partition: number): void {
    this.#of(partition).checkpoints = [];
  }

  /** What a bad disk does. */
  damageNewest(partition: number): void {
    const kept = this.#of(partition);
    const [newest, ...older] = kept.checkpoints;
    if (newest !== undefined) kept.checkpoints = [newest.slice(0, newest.length >> 1), ...older];
  }

  async close(): Promise<void> {}

  #of(partition: number): Kept {
    let kept = this.#partitions.get(partition);
    if (kept === undefined) {
      kept = { epoch: 0, checkpoints: [] };
      this.#partitions.set(partition, kept);
    }
    return kept;
  }
}
