/** Source partition of an event, and its progress, as a record of an internal topic states them. */
export interface SourceMark {
  /** Topic and partition: `clicks/3`. */
  readonly source: string;
  /** Newest event time of that partition up to this event, ms. */
  readonly newest: number;
}

/** How far all sources of a topic are that one process reads; a record without an event. */
export interface SourceProgress {
  /** How many partitions each topic has, of all sources. */
  readonly partitions: Readonly<Record<string, number>>;
  /** Newest event time of topic and partition, ms. */
  readonly newest: Readonly<Record<string, number>>;
  /** Of those that hold nothing more: when they were asked, wall clock, ms. */
  readonly emptyAt: Readonly<Record<string, number>>;
}

/** The same as it is kept. */
export type StoredSources = SourceProgress;

/**
 * Progress of the sources behind one partition that an intake writes. They are read at different
 * speeds, so lateness is judged by source:
 *
 *   late ⇔ ts < newest(source of the event) − lateness
 *   the partition stands at min over all sources of max(newest(source), empty at)
 *
 * As long as a source has not been heard of nothing can be said: it stands at −∞.
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

  /** @returns the newest event time of the source, by all that was heard of it, ms */
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

  /** Whether no source holds anything more. */
  get isIdle(): boolean {
    return this.#partitions !== undefined && this.#sources().every((of) => this.#emptyAt.has(of));
  }

  /** Since when no source holds anything more, wall clock, ms; undefined while one does. */
  get emptySince(): number | undefined {
    const since = this.isIdle ? this.#sources().map((of) => this.#emptyAt.get(of)!) : [];
    return since.length === 0 ? undefined : Math.min(...since);
  }

  /** The newest event time of all sources, ms; −Infinity before the first. */
  get newest(): number {
    return Math.max(Number.NEGATIVE_INFINITY, ...this.#newest.values());
  }

  /** Event time, ms, that all sources have come to, or were silent at; −Infinity while that is not known. */
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

  /** Those that there are; a topic that is read no more holds nothing back. */
  #sources(): string[] {
    return Object.entries(this.#partitions ?? {}).flatMap(([topic, count]) =>
      Array.from({ length: count }, (_, partition) => `${topic}/${partition}`),
    );
  }
}
