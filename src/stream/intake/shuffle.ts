import type { RecordContext } from '../../events/mapping/record-context.js';
import type { DeadLetter, OutgoingRecord } from '../ports.js';
import type { SourceProgress } from '../source-times.js';
import { CanonicalRecords, type RecordReading } from './canonical-records.js';
import { sourceHeaders } from './record-sources.js';

/** A topic of any shape, and how its records are read. */
export interface ShuffleSource extends RecordReading {
  readonly topic: string;
}

/** A record of a source. */
export interface SourceRecord {
  readonly from: RecordContext;
  readonly value: Uint8Array | null;
  /** The record's own time, ms; 0 or less where it has none. */
  readonly ts: number;
  /** The header that names the schema of its value, where it has one. */
  readonly frame?: Uint8Array | undefined;
}

/** Where records go: whole events by their kind, and parts of lists that are still to be assembled. */
export const WAYS = ['exposures', 'interactions', 'parts'] as const;
export type Way = (typeof WAYS)[number];

/** What came of some records of one source. */
export interface Shuffled {
  readonly records: Readonly<Record<Way, readonly OutgoingRecord[]>>;
  readonly letters: readonly DeadLetter[];
  /** How many records there were by what became of them: `written`, `ignored`, or a fault. */
  readonly outcomes: ReadonlyMap<string, number>;
  /** Newest event time of the source by now, ms; −Infinity without any. */
  readonly newest: number;
}

/**
 * Brings records of topics of any shape into a form that can be divided by user: canonical events,
 * keyed by user, that say which partition they came from and how far that was.
 *
 * @example
 * const reading = { events: 'interactions', maxEventBytes: 1e6, maxFutureMs: 0 };
 * const shuffle = new Shuffle([{ topic: 'clicks', ...reading }]);
 * const from = { topic: 'clicks', partition: 0, offset: '7', key: null, headers: {} };
 * const value = new TextEncoder().encode('{"ts":1,"user":"u","item":"a"}');
 * const { records, newest } = shuffle.read('clicks', 0, [{ from, value, ts: 0 }], () => 60_000);
 * records.interactions[0].key; // 'u'
 * newest; // 1
 */
export class Shuffle {
  readonly #readers: ReadonlyMap<string, CanonicalRecords>;
  /** By source: newest event that was read. */
  readonly #read = new Map<string, number>();
  /** By source: newest event time that is written. */
  readonly #written = new Map<string, number>();
  /** By source: when there was nothing more, wall clock, ms. */
  readonly #emptyAt = new Map<string, number>();

  /** @throws UnskewError USAGE if a mapping is wrong */
  constructor(sources: readonly ShuffleSource[]) {
    this.#readers = new Map(
      sources.map(({ topic, ...reading }) => [topic, new CanonicalRecords(reading)]),
    );
  }

  /** @param now the wall clock, ms: an event may not be further ahead of it than `maxFuture` */
  read(
    topic: string,
    partition: number,
    records: readonly SourceRecord[],
    now: () => number,
  ): Shuffled {
    const reader = this.#readers.get(topic);
    if (reader === undefined) throw new RangeError(`${topic} is no source`);
    const source = sourceOf(topic, partition);
    const written: Record<Way, OutgoingRecord[]> = { exposures: [], interactions: [], parts: [] };
    const letters: DeadLetter[] = [];
    const outcomes = new Map<string, number>();
    const count = (outcome: string) => outcomes.set(outcome, (outcomes.get(outcome) ?? 0) + 1);
    let newest = this.#read.get(source) ?? Number.NEGATIVE_INFINITY;
    const clock = now();
    for (const { from, value, ts, frame } of records) {
      const found = reader.read(value, from, ts > 0 ? Math.min(ts, clock) : clock, frame);
      if (found.kind === 'event' || found.kind === 'part') {
        newest = Math.max(newest, found.ts);
        const headers = sourceHeaders({ source, newest });
        written[found.kind === 'part' ? 'parts' : found.role].push({
          key: found.user,
          value: found.value,
          headers,
        });
        count('written');
      } else if (found.kind === 'ignored') count('ignored');
      else {
        const { reason, detail } = found;
        const place = { topic, partition, offset: Number(from.offset) };
        letters.push({ reason, detail, ...place, value: value ?? new Uint8Array(0) });
        count(reason);
      }
    }
    this.#read.set(source, newest);
    return { records: written, letters, outcomes, newest };
  }

  /** This process goes on with a partition that was read up to this event time, ms. */
  resume(topic: string, partition: number, newest: number): void {
    this.#read.set(sourceOf(topic, partition), newest);
  }

  /** What was read of a source up to this event time is written. */
  settle(topic: string, partition: number, newest: number): void {
    const source = sourceOf(topic, partition);
    const known = this.#written.get(source) ?? Number.NEGATIVE_INFINITY;
    this.#written.set(source, Math.max(newest, known));
    this.#emptyAt.delete(source);
  }

  /** All that a source holds is written, as of this moment of the wall clock, ms. */
  emptied(topic: string, partition: number, at: number): void {
    this.#emptyAt.set(sourceOf(topic, partition), at);
  }

  /**
   * How far the sources are that this process reads.
   *
   * @param partitions how many each topic has, of all sources
   */
  progress(partitions: Readonly<Record<string, number>>): SourceProgress {
    const newest = [...this.#written].filter(([, ts]) => Number.isFinite(ts));
    return {
      partitions,
      newest: Object.fromEntries(newest),
      emptyAt: Object.fromEntries(this.#emptyAt),
    };
  }

  /** Newest event time that was read of a partition, ms; −Infinity without any. */
  newest(topic: string, partition: number): number {
    return this.#read.get(sourceOf(topic, partition)) ?? Number.NEGATIVE_INFINITY;
  }
}

function sourceOf(topic: string, partition: number): string {
  return `${topic}/${partition}`;
}
