import type {
  LogChange,
  RecordBatch,
  SourceHandlers,
  StartPositions,
  TopicRole,
} from '../../src/stream/ports.js';
import { RecordTrail } from '../../src/stream/read/record-mark.js';

export interface Delivered {
  readonly offset: number;
  readonly value: Uint8Array | null;
}

type Start = Partial<StartPositions>;

/**
 * Handlers that note everything, and that answer an assignment as a stateful reader does: with the
 * offset after the last record that was handled, or else with `start`.
 */
export class RecordingHandlers implements SourceHandlers {
  readonly held = new Set<number>();
  readonly assignments: number[][] = [];
  readonly revocations: number[][] = [];
  readonly gaps: [role: string, partition: number, expected: number, found: number][] = [];
  readonly changes: [role: string, partition: number, change: LogChange][] = [];
  readonly states: string[] = [];
  readonly failures: Error[] = [];
  readonly caughtUpAt = new Map<string, number[]>();
  mostAtOnce = 0;
  start: Start | ((partition: number) => Start) = {};
  /** Awaited within each batch. */
  during: (batch: RecordBatch) => Promise<void> = async () => {};
  isTaken: (batch: RecordBatch) => boolean = () => true;
  readonly #delivered: Map<string, Delivered[]>;
  readonly #readThrough: Map<string, { next: number; trail: RecordTrail }>;
  readonly #running = new Map<string, number>();

  /** Handlers made from others go on where those stand, as from a shared checkpoint. */
  constructor(checkpoint?: RecordingHandlers) {
    this.#delivered = checkpoint ? checkpoint.#delivered : new Map();
    this.#readThrough = checkpoint ? checkpoint.#readThrough : new Map();
  }

  of(role: TopicRole, partition: number): Delivered[] {
    const key = `${role}/${partition}`;
    let records = this.#delivered.get(key);
    if (!records) {
      records = [];
      this.#delivered.set(key, records);
    }
    return records;
  }

  texts(role: TopicRole, partition: number): (string | null)[] {
    return this.of(role, partition).map(({ value }) =>
      value === null ? null : Buffer.from(value).toString('utf8'),
    );
  }

  get count(): number {
    let count = 0;
    for (const records of this.#delivered.values()) count += records.length;
    return count;
  }

  async assigned(partitions: readonly number[]): Promise<ReadonlyMap<number, StartPositions>> {
    this.assignments.push([...partitions]);
    for (const partition of partitions) this.held.add(partition);
    return new Map(
      partitions.map((partition) => {
        const start = typeof this.start === 'function' ? this.start(partition) : this.start;
        const from = (role: TopicRole) => {
          const read = this.#readThrough.get(`${role}/${partition}`);
          if (read === undefined) return start[role] ?? 'earliest';
          return { next: read.next, marks: read.trail.marks };
        };
        return [partition, { exposures: from('exposures'), interactions: from('interactions') }];
      }),
    );
  }

  revoked(partitions: readonly number[]): void {
    this.revocations.push([...partitions]);
    for (const partition of partitions) this.held.delete(partition);
  }

  async batch(batch: RecordBatch): Promise<undefined | 'again'> {
    const { role, partition, offsets, values } = batch;
    const key = `${role}/${partition}`;
    const running = (this.#running.get(key) ?? 0) + 1;
    this.#running.set(key, running);
    this.mostAtOnce = Math.max(this.mostAtOnce, running);
    await this.during(batch);
    if (this.isTaken(batch) === false) {
      this.#running.set(key, running - 1);
      return 'again';
    }
    const read = this.#readThrough.get(key) ?? { next: 0, trail: new RecordTrail() };
    this.#readThrough.set(key, read);
    if (read.trail.marks.length === 0 && values.length > 1) read.trail.add(batch.mark!(0));
    read.trail.add(batch.mark!(values.length - 1));
    read.next = offsets.at(-1)! + 1;
    const records = this.of(role, partition);
    for (const [r, value] of values.entries()) {
      // Copied: the bytes are the handler's only until it is done.
      records.push({ offset: offsets[r] as number, value: value && Uint8Array.from(value) });
    }
    this.#running.set(key, running - 1);
    return undefined;
  }

  caughtUp(role: string, partition: number): void {
    const key = `${role}/${partition}`;
    const last = this.#delivered.get(key)?.at(-1)?.offset ?? -1;
    this.caughtUpAt.set(key, [...(this.caughtUpAt.get(key) ?? []), last + 1]);
  }

  gap(role: string, partition: number, expected: number, found: number): void {
    this.gaps.push([role, partition, expected, found]);
  }

  changed(role: string, partition: number, change: LogChange): void {
    this.changes.push([role, partition, change]);
    const read = this.#readThrough.get(`${role}/${partition}`);
    if (read === undefined) return;
    read.next = change.found;
    read.trail.cut(change.found);
  }

  state(state: string): void {
    this.states.push(state);
  }

  failed(error: Error): void {
    this.failures.push(error);
  }
}
