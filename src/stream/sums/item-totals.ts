import { DamagedNumbers } from '../../errors.js';
import { passText } from '../../estimators/partitions/item-sums.js';
import type { ItemNames } from '../../estimators/partitions/rounds.js';
import { enlarged } from '../../events/column-table.js';
import { hashBytes } from '../../events/hash.js';
import type { NumberReader, NumberWriter } from '../../state/binary/numbers.js';
import { Popularity } from '../../state/counts/popularity.js';
import type { DenseCounts } from '../../state/counts/sparse-counts.js';
import { Interner, numberOf } from '../../state/ids/interner.js';

/** All counts are written again where twice as many items were named as when that was done last. */
const GROWTH = 2;
const SPARE = 4096;
/** More than the items of a counter: entries are sorted as whole numbers, by item and then place. */
const PLACES = 2 ** 24;

interface Tables {
  readonly items: Interner;
  readonly models: Interner;
}

/**
 * Item counts of all partitions, where each process counts some of them. In the first pane of a
 * generation all say all of their counts, from then on what has changed: integers, so that the sums
 * are exact in any order, and nothing is subtracted that was not added.
 *
 * Items have numbers by when their ids stood first in what was said: the same in every process, which
 * later rounds call them by.
 */
export class ItemTotals {
  readonly #own: Popularity;
  readonly #ids: Tables;
  readonly #spare: number;
  #popularity: Popularity;
  /** By the numbers that items are called by. */
  #named = new Interner();
  /** Named when all was said last. */
  #begun = 0;
  #isAll = true;
  /** What of the counts of this process is in the totals. */
  #sent = new Map<DenseCounts, Int32Array>();
  /** Numbers by which items are called, by those of this process, and the other way; −1: not known. */
  #calls: Int32Array = new Int32Array(0);
  #places: Int32Array = new Int32Array(0);
  #generation = -1;

  /** @param own counts of this process's partitions @param spare items named before all is said again */
  constructor(own: Popularity, ids: Tables, spare = SPARE) {
    this.#spare = spare;
    this.#own = own;
    this.#ids = ids;
    this.#popularity = new Popularity(own.options);
  }

  /** The counts of all partitions. */
  get popularity(): Popularity {
    return this.#popularity;
  }

  /** The next pane is the first one that anybody speaks of. */
  restart(): void {
    this.#isAll = true;
  }

  /** Writes what this process has to say of its counts when a pane has closed. */
  write(to: NumberWriter): void {
    if (this.#isAll) this.#sent = new Map();
    const known = this.#isAll ? 0 : this.#named.size;
    const changes = [...countersOf(this.#own)].map((counter) => this.#changes(counter));
    const texts: number[] = [];
    const refs = new Map<number, number>();
    const refOf = (item: number) => {
      const call = this.#isAll ? -1 : this.#callOf(item);
      const ref = call >= 0 ? call : (refs.get(item) ?? known + texts.length);
      if (call < 0 && !refs.has(item)) {
        refs.set(item, ref);
        texts.push(item);
      }
      return ref;
    };
    const written = changes
      .filter(({ items }) => items.length > 0)
      .map(({ items, ...change }) => ({
        ...change,
        entries: Float64Array.from(items, (item, n) => refOf(item) * PLACES + n).sort(),
      }));
    to.number(known);
    to.number(texts.length);
    for (const item of texts) passText(to, this.#ids.items.text(item));
    to.number(written.length);
    for (const { model, place, by, entries } of written) {
      to.number(model === undefined ? 0 : 1);
      if (model !== undefined) passText(to, this.#ids.models.text(model));
      to.number(place);
      to.number(entries.length);
      let last = 0;
      for (const entry of entries) {
        const ref = Math.floor(entry / PLACES);
        const change = by[entry % PLACES];
        to.number(ref - last);
        to.number(change > 0 ? 2 * change : -2 * change - 1);
        last = ref;
      }
    }
  }

  /**
   * Takes in what all processes have said of a pane, in an order that is the same for all.
   *
   * @throws DamagedNumbers if it does not fit what was said before
   */
  take(records: readonly NumberReader[]): void {
    if (this.#isAll) {
      this.#popularity = new Popularity(this.#own.options);
      this.#named = new Interner();
      this.#places = new Int32Array(0);
      this.#generation = -1;
    }
    const known = this.#named.size;
    for (const from of records) this.#takeOne(from, known);
    if (this.#isAll) this.#begun = this.#named.size;
    this.#isAll = this.#named.size > GROWTH * this.#begun + this.#spare;
  }

  /** Items as they are called in the rounds of a pane. */
  get names(): ItemNames {
    const { items } = this.#ids;
    for (let call = 0; call < this.#named.size; call++) this.#placeOf(call);
    return {
      called: this.#places.subarray(0, this.#named.size),
      textOf: (item) => items.text(item),
      itemOf: (text) => {
        const item = numberOf(items, text);
        return item < 0 ? undefined : item;
      },
    };
  }

  #takeOne(from: NumberReader, known: number): void {
    const { items, models } = this.#ids;
    if (from.number(0) !== known) throw new DamagedNumbers('other items were named before it');
    const named: number[] = [];
    for (let left = from.number(0); left > 0; left--) {
      const text = passText(from, '');
      taken(this.#named, text);
      named.push(taken(items, text));
    }
    for (let left = from.number(0); left > 0; left--) {
      const isOfAll = from.number(0) === 0;
      const counters = isOfAll
        ? this.#popularity.ofAll
        : this.#popularity.ofModel(taken(models, passText(from, '')));
      const place = from.number(0);
      if (!(place < counters.length)) throw new DamagedNumbers('it counts what nobody else does');
      const size = from.number(0);
      const ids = new Int32Array(size);
      const counts = new Int32Array(size);
      for (let n = 0, ref = 0; n < size; n++) {
        ref += from.number(0);
        const by = from.number(0);
        ids[n] = ref < known ? this.#placeOf(ref) : (named[ref - known] ?? -1);
        counts[n] = by % 2 === 0 ? by / 2 : -(by + 1) / 2;
        if (ids[n] < 0) throw new DamagedNumbers('an item in it was never named');
      }
      counters[place].add({ ids, counts });
    }
  }

  /** What has changed in a counter since it was said last. */
  #changes({ counter, ...of }: Counter) {
    const { counts, size } = counter;
    const before = this.#sent.get(counter) ?? new Int32Array(0);
    const sent = before.length < size ? enlarged(before, counts.length) : before;
    this.#sent.set(counter, sent);
    const items: number[] = [];
    const by: number[] = [];
    for (let item = 0; item < size; item++) {
      const change = counts[item] - sent[item];
      if (change === 0) continue;
      sent[item] = counts[item];
      items.push(item);
      by.push(change);
    }
    return { ...of, items, by };
  }

  #callOf(item: number): number {
    this.#recall();
    if (item >= this.#calls.length) this.#calls = longer(this.#calls, this.#ids.items.size);
    if (this.#calls[item] < 0) this.#calls[item] = found(this.#named, this.#ids.items, item);
    return this.#calls[item];
  }

  #placeOf(call: number): number {
    this.#recall();
    if (!(call < this.#named.size)) return -1;
    if (call >= this.#places.length) this.#places = longer(this.#places, this.#named.size);
    if (this.#places[call] < 0) this.#places[call] = found(this.#ids.items, this.#named, call);
    return this.#places[call];
  }

  /** Numbers of this process may be those of other items now. */
  #recall(): void {
    const { generation } = this.#ids.items;
    if (generation === this.#generation) return;
    this.#generation = generation;
    this.#calls.fill(-1);
    this.#places.fill(-1);
  }
}

interface Counter {
  /** Undefined for a count of all traffic. */
  readonly model: number | undefined;
  readonly place: number;
  readonly counter: DenseCounts;
}

function* countersOf(popularity: Popularity): Generator<Counter, void> {
  for (const [place, counter] of popularity.ofAll.entries()) {
    yield { model: undefined, place, counter };
  }
  for (let model = 0; model < popularity.models; model++) {
    for (const [place, counter] of popularity.ofModel(model).entries()) {
      yield { model, place, counter };
    }
  }
}

function longer(numbers: Int32Array, size: number): Int32Array {
  const more = new Int32Array(Math.max(size, 2 * numbers.length)).fill(-1);
  more.set(numbers);
  return more;
}

const ENCODER = new TextEncoder();

/** The number of an id, a new one at first sight. */
export function taken(table: Interner, id: string): number {
  const bytes = ENCODER.encode(id);
  return table.take(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
}

/** The number in one table of what has a number in another; −1 where it has none. */
function found(there: Interner, here: Interner, id: number): number {
  const bytes = new Uint8Array(here.byteLengthOf(id));
  here.copyTo(id, bytes, 0);
  return there.find(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
}
