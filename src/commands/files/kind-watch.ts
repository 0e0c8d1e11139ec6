import type { ExposureColumns, IdTable, InteractionColumns } from '../../events/columns.js';
import { hash64View } from '../../events/hash.js';

const IN_LISTS = 1;
const IN_INTERACTIONS = 2;
const YEAR_MS = 365 * 86_400_000;

interface Span {
  from: number;
  to: number;
}

/** What the lists and the interactions of files have in common: items, and the time that they are of. */
export class KindWatch {
  #seen = new Uint8Array(1024);
  #areShared = false;
  readonly #lists: Span = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };
  readonly #done: Span = { from: Number.POSITIVE_INFINITY, to: Number.NEGATIVE_INFINITY };

  take(interactions: InteractionColumns, exposures: ExposureColumns): void {
    widen(this.#lists, exposures.ts, exposures.length);
    widen(this.#done, interactions.ts, interactions.length);
    if (this.#areShared) return;
    this.#note(interactions.item, interactions.length, IN_INTERACTIONS);
    this.#note(exposures.items, exposures.listStart[exposures.length]!, IN_LISTS);
  }

  /** What makes numbers wrong whatever they are, one sentence each. */
  warnings(): readonly string[] {
    const found: string[] = [];
    if (this.lackItems) found.push(NO_SHARED_ITEM);
    const lists = this.#lists;
    const done = this.#done;
    const gap = Math.max(lists.from - done.to, done.from - lists.to);
    if (Number.isFinite(gap) && gap > YEAR_MS) {
      found.push(
        `lists are of ${spanText(lists)} and interactions of ${spanText(done)}: look at the unit of their times (events.mapping.tsUnit)`,
      );
    }
    return found;
  }

  /** Whether there are lists and interactions, and no item is in both. */
  get lackItems(): boolean {
    return !this.#areShared && this.hasLists && this.#done.from <= this.#done.to;
  }

  get hasLists(): boolean {
    return this.#lists.from <= this.#lists.to;
  }

  #note(items: Int32Array, count: number, as: number): void {
    for (let i = 0; i < count; i++) {
      const item = items[i]!;
      if (item >= this.#seen.length) {
        const larger = new Uint8Array(2 * item);
        larger.set(this.#seen);
        this.#seen = larger;
      }
      const seen = this.#seen[item]! | as;
      this.#seen[item] = seen;
      if (seen === (IN_LISTS | IN_INTERACTIONS)) {
        this.#areShared = true;
        return;
      }
    }
  }
}

export const NO_SHARED_ITEM =
  'no item in the interactions occurs in any list: look whether both call items by the same ids';

function widen(span: Span, ts: Float64Array, count: number): void {
  for (let i = 0; i < count; i++) {
    const at = ts[i]!;
    if (at < span.from) span.from = at;
    if (at > span.to) span.to = at;
  }
}

function spanText({ from, to }: Span): string {
  const [first, last] = [from, to].map((ts) => new Date(ts).toISOString().slice(0, 10));
  return first === last ? String(first) : `${first} to ${last}`;
}

/** Numbers of ids, as many as are kept; all others are one. */
export class SomeIds implements IdTable {
  readonly #numbers = new Map<string, number>();
  readonly #halves = new Int32Array(2);

  intern(_bytes: Uint8Array, start: number, end: number, _hash?: number, view?: DataView): number {
    const halves = this.#halves;
    if (view === undefined) return 0;
    hash64View(view, start, end, halves);
    const key = `${halves[0]} ${halves[1]}`;
    const known = this.#numbers.get(key);
    if (known !== undefined || this.#numbers.size === MOST_IDS) return known ?? 0;
    const number = this.#numbers.size + 1;
    this.#numbers.set(key, number);
    return number;
  }
}

const MOST_IDS = 1_000_000;
