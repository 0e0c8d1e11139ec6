import type {
  ConcludedPanes,
  PaneExchange,
  PaneRecord,
  PartitionPanes,
  PublishedProgress,
  PublishOutcome,
} from '../../src/stream/ports.js';

interface Published {
  progress: PartitionPanes;
  records: PaneRecord[];
}

/** Which worker holds a partition: the store of checkpoints beside it knows. */
interface Epochs {
  epochOf(partition: number): number;
}

/** Panes in memory, for tests: exchanges made from one another share what was published. */
export class MemoryPaneExchange implements PaneExchange {
  readonly #epochs: Epochs;
  readonly #partitions: Map<number, Published>;
  readonly #concluded: { value: ConcludedPanes | undefined };

  constructor(epochs: Epochs, shared?: MemoryPaneExchange) {
    this.#epochs = epochs;
    this.#partitions = shared ? shared.#partitions : new Map();
    this.#concluded = shared ? shared.#concluded : { value: undefined };
  }

  async publish(
    partition: number,
    epoch: number,
    before: { readonly from: number; readonly closed: number },
    progress: PublishedProgress,
    records: readonly PaneRecord[],
  ): Promise<PublishOutcome> {
    if (this.#epochs.epochOf(partition) !== epoch) return 'fenced';
    const known = this.#partitions.get(partition);
    const fits =
      known && known.progress.closed >= before.closed && known.progress.from <= before.closed;
    if (!fits && before.closed > before.from) return 'lost';
    const from = fits ? known.progress.from : before.from;
    const closed = fits ? Math.max(progress.closed, known.progress.closed) : progress.closed;
    const kept = fits ? known.records : [];
    const last = kept.at(-1)?.pane ?? Number.NEGATIVE_INFINITY;
    for (const { pane, bytes } of records) {
      if (pane > last) kept.push({ pane, bytes: bytes.slice() });
    }
    this.#partitions.set(partition, { progress: { ...progress, closed, from }, records: kept });
    return 'published';
  }

  async trim(partition: number, epoch: number, through: number): Promise<void> {
    const known = this.#partitions.get(partition);
    if (known === undefined || this.#epochs.epochOf(partition) !== epoch) return;
    known.records = known.records.filter(({ pane }) => pane > through);
    const from = Math.max(known.progress.from, through);
    known.progress = { ...known.progress, from };
  }

  async records(
    partition: number,
    after: number,
    through: number,
  ): Promise<readonly PaneRecord[] | undefined> {
    const known = this.#partitions.get(partition);
    if (known === undefined || known.progress.from > after) return undefined;
    if (known.progress.closed < through) return undefined;
    return known.records.filter(({ pane }) => pane > after);
  }

  async progress(count: number): Promise<readonly (PartitionPanes | undefined)[]> {
    return Array.from({ length: count }, (_, p) => this.#partitions.get(p)?.progress);
  }

  async concluded(): Promise<ConcludedPanes | undefined> {
    return this.#concluded.value;
  }

  async conclude(epoch: number, concluded: ConcludedPanes) {
    if (this.#epochs.epochOf(0) !== epoch) return 'fenced';
    this.#concluded.value = concluded;
    return 'published';
  }

  /** What a store without a disk does when it is started again. */
  lose(): void {
    this.#partitions.clear();
    this.#concluded.value = undefined;
  }

  async close(): Promise<void> {}
}
