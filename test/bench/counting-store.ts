import {
  type Change,
  type Manifest,
  SegmentedCheckpoints,
} from '../../src/adapters/segments/segmented-checkpoints.js';

/** A store that keeps nothing but lengths: for what is written, and how much of it stays. */
export class CountingStore extends SegmentedCheckpoints {
  written = 0;
  readonly #segments = new Map<string, Uint8Array>();
  #manifests: readonly Manifest[] = [];

  get kept(): number {
    return [...this.#segments.values()].reduce((sum, { length }) => sum + length, 0);
  }

  async takeEpoch(): Promise<number> {
    return 1;
  }

  async partitions(): Promise<readonly number[]> {
    return [0];
  }

  async close(): Promise<void> {
    this.#segments.clear();
  }

  protected async holds(): Promise<boolean> {
    return true;
  }

  protected async manifests(): Promise<readonly Manifest[]> {
    return this.#manifests;
  }

  protected async commit(
    _partition: number,
    _epoch: number,
    { manifest, dropped }: Change,
  ): Promise<'saved'> {
    this.written += JSON.stringify(manifest).length;
    this.#manifests = [manifest!, ...this.#manifests].slice(0, 2);
    for (const name of dropped) this.#segments.delete(name);
    return 'saved';
  }

  protected async put(_partition: number, name: string, bytes: Uint8Array): Promise<void> {
    this.written += bytes.length;
    this.#segments.set(name, bytes);
  }

  protected async get(_partition: number, name: string, from?: number, to?: number) {
    return this.#segments.get(name)?.subarray(from, to);
  }

  protected async has(_partition: number, names: readonly string[]): Promise<boolean> {
    return names.every((name) => this.#segments.has(name));
  }

  protected async remove(_partition: number, names: readonly string[]): Promise<void> {
    for (const name of names) this.#segments.delete(name);
  }
}
