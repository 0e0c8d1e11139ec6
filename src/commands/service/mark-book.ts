import { randomUUID } from 'node:crypto';
import type { Mark, MarkStore } from '../../outputs/history/marks.js';
import type { MarkRoutes } from '../../outputs/http/routes/mark-routes.js';
import type { MarkOrder } from '../../outputs/http/schema/mark.js';

/** Readers of the page ask with each tick: the store is asked once for all of them. */
const FRESH_MS = 1000;

/** The marks of a group, as its store has them. */
export class MarkBook implements MarkRoutes {
  readonly #store: Pick<MarkStore, 'all' | 'add'>;
  readonly #now: () => number;
  #read: { readonly at: number; readonly marks: Promise<readonly Mark[]> } | undefined;

  constructor(store: Pick<MarkStore, 'all' | 'add'>, now: () => number = Date.now) {
    this.#store = store;
    this.#now = now;
  }

  /** Of a second ago at most, but for those that were added here. */
  all(): Promise<readonly Mark[]> {
    const now = this.#now();
    const known = this.#read;
    if (known !== undefined && Math.abs(now - known.at) < FRESH_MS) return known.marks;
    const read = { at: now, marks: this.#store.all() };
    this.#read = read;
    // Who asks next asks the store again.
    read.marks.catch(() => {
      if (this.#read === read) this.#read = undefined;
    });
    return read.marks;
  }

  /** @param about see `MarkStore` */
  async add({ time = this.#now(), kind, text, model }: MarkOrder, about?: string) {
    const mark = { id: randomUUID(), time, kind, text, ...(model !== undefined && { model }) };
    const outcome = await this.#store.add(mark, about);
    this.#read = undefined;
    return { mark, outcome };
  }
}
