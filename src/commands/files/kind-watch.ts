import type { ExposureColumns, IdTable, InteractionColumns } from '../../events/columns.js';
import { hash64View } from '../../events/hash.js';

const IN_LISTS = 1;
const IN_INTERACTIONS = 2;
const YEAR_MS = 365 * 86_400_000;

interface Span {
  from: number;
  to: number;
}

/** Checks whether lists and interactions of files belong together: by items, users and times. */
export class KindWatch {
  readonly #items = new SharedIds();
  readonly #users = new SharedIds();
  readonly #lists: Span = {
    from: Number.POSITIVE_INFINITY,
    to: Number.NEGATIVE_INFINITY,
  };
  readonly #done: Span = {
    from: Number.POSITIVE_INFINITY,
    to: Number.NEGATIVE_INFINITY,
  };

  take(interactions: InteractionColumns, exposures: ExposureColumns): void {
    widen(this.#lists, exposures.ts, exposures.length);
    widen(this.#done, interactions.ts, interactions.length);
    this.#items.note(interactions.item, interactions.length, IN_INTERACTIONS);
    this.#items.note(exposures.items, exposures.listStart[exposures.length]!, IN_LISTS);
    this.#users.note(interactions.user, interactions.length, IN_INTERACTIONS);
    this.#users.note(exposures.user, exposures.length, IN_LISTS);
  }

  /** Problems found that would make results wrong, one text each. */
  warnings(): readonly string[] {
    const found: string[] = [];
    if (this.lackItems) {
      found.push(NO_SHARED_ITEM);
    } else if (this.#hasBoth && !this.#users.areShared) {
      found.push(NO_SHARED_USER);
    }
    const lists = this.#lists;
    const done = this.#done;
    const gap = Math.max(lists.from - done.to, done.from - lists.to);
    if (Number.isFinite(gap) && gap > YEAR_MS) {
      found.push(
        `lists are from ${spanText(lists)} and interactions from ${spanText(done)}. Check the unit of their times (events.mapping.tsUnit)`,
      );
    }
    return found;
  }

  /** Whether there are lists and interactions without common items. */
  get lackItems(): boolean {
    return !this.#items.areShared && this.#hasBoth;
  }

  get #hasBoth(): boolean {
    return this.hasLists && this.#done.from <= this.#done.to;
  }

  get hasLists(): boolean {
    return this.#lists.from <= this.#lists.to;
  }
}

/** Whether ids occur both in lists and in interactions. */
class SharedIds {
  areShared = false;
  #seen = new Uint8Array(1024);

  note(ids: Int32Array, count: number, as: number): void {
    for (let i = 0; i < count && !this.areShared; i++) {
      const id = ids[i]!;
      if (id >= this.#seen.length) {
        const larger = new Uint8Array(2 * id);
        larger.set(this.#seen);
        this.#seen = larger;
      }
      const seen = this.#seen[id]! | as;
      this.#seen[id] = seen;
      this.areShared = seen === (IN_LISTS | IN_INTERACTIONS);
    }
  }
}

export const NO_SHARED_ITEM =
  'no item of the interactions occurs in any list. Check that both use the same item ids';

const NO_SHARED_USER =
  'no user of the interactions has a list. Check that both use the same user ids';

function widen(span: Span, ts: Float64Array, count: number): void {
  for (let i = 0; i < count; i++) {
    const at = ts[i]!;
    if (at < span.from) {
      span.from = at;
    }
    if (at > span.to) {
      span.to = at;
    }
  }
}

function spanText({ from, to }: Span): string {
  const [first, last] = [from, to].map((ts) => new Date(ts).toISOString().slice(0, 10));
  return first === last ? String(first) : `${first} to ${last}`;
}

/** Table of at most a million ids. Further ids share the number 0. */
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
