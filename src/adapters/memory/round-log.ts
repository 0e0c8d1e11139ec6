import type { RoundLog, RoundRecord, RoundsFound, RoundsGone } from '../../stream/ports.js';

interface Shared {
  /** Which log it is: another one after a loss. */
  generation: number;
  /** Number of the record before the first that is kept. */
  trimmed: number;
  /** The order in which records were appended, ever: two that lie at one place differ in it. */
  appended: number;
  records: { readonly stamp: number; readonly bytes: Uint8Array }[];
  readonly waiting: Set<() => void>;
}

/** A log of rounds in memory: those made from one another share their records. */
export class MemoryRoundLog implements RoundLog {
  readonly #shared: Shared;
  readonly #closed = new AbortController();

  constructor(shared?: MemoryRoundLog) {
    const log = { generation: 1, trimmed: 0, appended: 0, records: [], waiting: new Set<never>() };
    this.#shared = shared ? shared.#shared : log;
  }

  async append(bytes: Uint8Array): Promise<void> {
    this.#shared.records.push({ stamp: ++this.#shared.appended, bytes: bytes.slice() });
    this.#wake();
  }

  async read(after: string | null, waitMs: number): Promise<RoundsFound | RoundsGone> {
    const place = after === null ? undefined : placeOf(after);
    const found = this.#look(place);
    const isDue = found.kind === 'gone' || found.records.length > 0 || waitMs === 0;
    if (isDue || this.#closed.signal.aborted) return found;
    await this.#woken(waitMs);
    return this.#closed.signal.aborted ? found : this.#look(place);
  }

  async trim(through: string): Promise<void> {
    const { generation, count } = placeOf(through);
    const { trimmed, records } = this.#shared;
    if (generation !== this.#shared.generation || count <= trimmed) return;
    this.#shared.trimmed += records.splice(0, count - trimmed).length;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#wake();
  }

  /** All of it is gone, as in a server that kept nothing on disk. */
  lose(): void {
    Object.assign(this.#shared, { generation: this.#shared.generation + 1, trimmed: 0 });
    this.#shared.records = [];
    this.#wake();
  }

  /** The newest records are gone, as where the server that takes over did not have them yet. */
  loseTail(count: number): void {
    this.#shared.records.splice(-count);
    this.#wake();
  }

  #look(place: Place | undefined): RoundsFound | RoundsGone {
    const { generation, trimmed, records } = this.#shared;
    const end = trimmed + records.length;
    const count = place?.count ?? 0;
    const gone = (why: RoundsGone['why']): RoundsGone => ({
      ...{ kind: 'gone', why },
      from: `${generation}-${trimmed}:`,
    });
    if (place !== undefined && (place.generation !== generation || count > end))
      return gone('lost');
    if (count < trimmed) return gone('trimmed');
    const stamp = records[count - trimmed - 1]?.stamp;
    if (place?.stamp !== undefined && stamp !== undefined && stamp !== place.stamp) {
      return gone('lost');
    }
    const read = records.slice(count - trimmed).map(({ stamp, bytes }, n): RoundRecord => {
      return { position: `${generation}-${count + n + 1}:${stamp}`, bytes };
    });
    return { kind: 'found', records: read };
  }

  async #woken(waitMs: number): Promise<void> {
    const { waiting } = this.#shared;
    let wake = () => {};
    const woken = new Promise<void>((resolve) => {
      wake = resolve;
    });
    const timer = setTimeout(wake, waitMs);
    waiting.add(wake);
    await woken;
    waiting.delete(wake);
    clearTimeout(timer);
  }

  #wake(): void {
    for (const wake of [...this.#shared.waiting]) wake();
  }
}

interface Place {
  readonly generation: number;
  readonly count: number;
  /** Of the record there, where it is known. */
  readonly stamp: number | undefined;
}

function placeOf(position: string): Place {
  const [, generation, count, stamp] = /^(\d+)-(\d+):(\d*)$/.exec(position) ?? [];
  return {
    ...{ generation: Number(generation), count: Number(count) },
    stamp: stamp === '' ? undefined : Number(stamp),
  };
}
