/**
 * Source partition from which an event came, and the progress of that source. An intake states both
 * in the record that it writes.
 */
export interface SourceMark {
  /** Topic and partition: `clicks/3`. */
  readonly source: string;
  /** Newest event time of that partition up to this event, ms. */
  readonly newest: number;
}

/**
 * Progress of all sources of a topic, as one intake process states it in a record without an event.
 */
export interface SourceProgress {
  /** Number of partitions of each source topic. */
  readonly partitions: Readonly<Record<string, number>>;
  /** Newest event time of topic and partition, ms. */
  readonly newest: Readonly<Record<string, number>>;
  /** By topic and partition: time at which the source was last read to its end, wall clock, ms. */
  readonly emptyAt: Readonly<Record<string, number>>;
}

/** Stored progress of sources. */
export type StoredSources = SourceProgress;

/**
 * Progress of the source partitions whose events an intake process writes into one partition of an
 * internal topic. Sources are read at different speeds, so lateness is judged by source:
 *
 *   late ⇔ ts < newest(source of the event) − lateness
 *   progress of the partition = min over all sources of max(newest(source), empty at)
 *
 * The progress is −∞ until all sources have reported.
 *
 * @example
 * const times = new SourceTimes();
 * times.note('a/0', 5000);
 * times.stand; // -Infinity
 * times.progressed({ partitions: { a: 2 }, newest: { 'a/1': 2000 }, emptyAt: {} });
 * times.stand; // 2000
 */
export class SourceTimes {
  #partitions: Readonly<Record<string, number>> | undefined;
  #newest = new Map<string, number>();
  #emptyAt = new Map<string, number>();

  /** Record an event time of a source; @returns its newest known event time, ms */
  note(source: string, newest: number): number {
    const known = Math.max(newest, this.#newest.get(source) ?? Number.NEGATIVE_INFINITY);
    this.#newest.set(source, known);
    this.#emptyAt.delete(source);
    return known;
  }

  progressed({ partitions, newest, emptyAt }: SourceProgress): void {
    this.#partitions = partitions;
    for (const [source, ts] of Object.entries(newest)) {
      this.note(source, ts);
    }
    for (const [source, at] of Object.entries(emptyAt)) {
      this.#emptyAt.set(source, at);
    }
  }

  /** Whether all sources are at their end. */
  get isIdle(): boolean {
    return this.#partitions !== undefined && this.#sources().every((of) => this.#emptyAt.has(of));
  }

  /** Oldest time at which a source was read to its end, wall clock, ms; undefined if not idle. */
  get emptySince(): number | undefined {
    const since = this.isIdle ? this.#sources().map((of) => this.#emptyAt.get(of)!) : [];
    return since.length === 0 ? undefined : Math.min(...since);
  }

  /** The newest event time of all sources, ms; −Infinity before the first. */
  get newest(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...this.#newest.values());
  }

  /** Progress of event time over all sources, ms; −Infinity if unknown. */
  get stand(): number {
    if (this.#partitions === undefined) return Number.NEGATIVE_INFINITY;
    const all = this.#sources().map((source) =>
      Math.max(
        this.#newest.get(source) ?? Number.NEGATIVE_INFINITY,
        this.#emptyAt.get(source) ?? Number.NEGATIVE_INFINITY,
      ),
    );
    return all.length === 0 ? Number.NEGATIVE_INFINITY : Math.min(...all);
  }

  get stored(): StoredSources {
    return {
      partitions: this.#partitions ?? {},
      newest: Object.fromEntries(this.#newest),
      emptyAt: Object.fromEntries(this.#emptyAt),
    };
  }

  static read({ partitions, newest, emptyAt }: StoredSources): SourceTimes {
    const times = new SourceTimes();
    if (Object.keys(partitions).length > 0) {
      times.#partitions = partitions;
    }
    times.#newest = new Map(Object.entries(newest));
    times.#emptyAt = new Map(Object.entries(emptyAt));
    return times;
  }

  /** Current sources; topics that are no longer read do not count. */
  #sources(): string[] {
    return Object.entries(this.#partitions ?? {}).flatMap(([topic, count]) =>
      Array.from({ length: count }, (_, partition) => `${topic}/${partition}`),
    );
  }
}
