/** Progress of one source. */
interface Standing {
  /** Newest event time read, ms. */
  newest: number;
  /** Whether the source was read to its end when last checked. */
  isEmpty: boolean;
  /** Whether the source is paused. */
  isHeld: boolean;
}

/**
 * Decides which sources to pause because they are too far ahead of the slowest one, by event time.
 * The events of such a source fill open panes and lists, so without a bound a whole day's backlog
 * could be in memory.
 *
 *   paused ⇔ newest(source) > maxAhead + min over the unfinished sources of newest
 *
 * @example
 * const gate = new AheadGate(1000);
 * for (const source of ['a/0', 'b/0']) gate.hold(source);
 * gate.read('a/0', 5000);
 * gate.read('b/0', 3000);
 * gate.change(); // { pause: ['a/0'], resume: [] }
 * gate.ends('b/0', true);
 * gate.change(); // { pause: [], resume: ['a/0'] }
 */
export class AheadGate {
  readonly #maxAheadMs: number;
  readonly #sources = new Map<string, Standing>();

  constructor(maxAheadMs: number) {
    this.#maxAheadMs = maxAheadMs;
  }

  clear(): void {
    this.#sources.clear();
  }

  /** Add a source that this process reads. */
  hold(source: string): void {
    this.#sources.set(source, {
      newest: Number.NEGATIVE_INFINITY,
      isEmpty: false,
      isHeld: false,
    });
  }

  /** Note that a source was read up to this event time, ms. */
  read(source: string, newest: number): void {
    const standing = this.#sources.get(source);
    if (standing !== undefined) {
      standing.newest = Math.max(standing.newest, newest);
    }
  }

  /** Note whether a source was at its end when checked. */
  ends(source: string, isEmpty: boolean): void {
    const standing = this.#sources.get(source);
    if (standing !== undefined) {
      standing.isEmpty = isEmpty;
    }
  }

  /** Sources to pause and to resume since the last call. */
  change(): {
    readonly pause: readonly string[];
    readonly resume: readonly string[];
  } {
    const waiting = [...this.#sources.values()].filter(({ isEmpty }) => !isEmpty);
    const slowest = Math.min(...waiting.map(({ newest }) => newest));
    const pause: string[] = [];
    const resume: string[] = [];
    for (const [source, standing] of this.#sources) {
      const isAhead = !standing.isEmpty && standing.newest > slowest + this.#maxAheadMs;
      if (isAhead === standing.isHeld) continue;
      standing.isHeld = isAhead;
      (isAhead ? pause : resume).push(source);
    }
    return { pause, resume };
  }
}
