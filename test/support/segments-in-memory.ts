import {
  type Change,
  KEPT,
  type Manifest,
  SegmentedCheckpoints,
} from '../../src/adapters/segments/segmented-checkpoints.js';

/** What is there of a partition, whichever process wrote it. */
export class SegmentsThere {
  epoch = 0;
  written = 0;
  readonly segments = new Map<string, Uint8Array>();
  manifests: readonly Manifest[] = [];

  get bytes(): number {
    return [...this.segments.values()].reduce((sum, { length }) => sum + length, 0);
  }
}

/**
 * Checkpoints of one partition in memory. The process may end before or after any step that changes
 * something.
 */
export class SegmentsInMemory extends SegmentedCheckpoints {
  constructor(
    readonly there: SegmentsThere,
    private readonly step: () => void = () => {},
  ) {
    super();
  }

  async takeEpoch(): Promise<number> {
    return ++this.there.epoch;
  }

  async partitions(): Promise<readonly number[]> {
    return this.there.manifests.length > 0 ? [0] : [];
  }

  async close(): Promise<void> {}

  protected async holds(_partition: number, epoch: number): Promise<boolean> {
    return this.there.epoch === epoch;
  }

  protected async manifests(): Promise<readonly Manifest[]> {
    return this.there.manifests;
  }

  protected async commit(_partition: number, epoch: number, { manifest, isAlone }: Change) {
    this.step();
    if (this.there.epoch !== epoch) return 'fenced';
    const before = isAlone ? [] : this.there.manifests;
    this.there.manifests = [...(manifest ? [manifest] : []), ...before].slice(0, KEPT);
    this.there.written += JSON.stringify(manifest ?? '').length;
    this.step();
    return 'saved';
  }

  protected async put(_partition: number, name: string, bytes: Uint8Array): Promise<void> {
    this.step();
    this.there.written += bytes.length;
    this.there.segments.set(name, Uint8Array.from(bytes));
    this.step();
  }

  protected async get(_partition: number, name: string, from?: number, to?: number) {
    return this.there.segments.get(name)?.subarray(from, to);
  }

  protected async has(_partition: number, names: readonly string[]): Promise<boolean> {
    return names.every((name) => this.there.segments.has(name));
  }

  protected async remove(_partition: number, names: readonly string[]): Promise<void> {
    for (const name of names) {
      this.step();
      this.there.segments.delete(name);
    }
  }

  protected override async names(): Promise<readonly string[]> {
    return [...this.there.segments.keys()];
  }
}
