import { marginDrift } from '../../estimators/propensity/margin-drift.js';
import type { UsedPropensities } from '../../estimators/propensity/used-propensities.js';
import type { RatedPart } from '../../state/panes/window-part.js';
import type { PropensityFileReport } from './rating-report.js';

const SLICE_ROWS = 32_768;
/** A number that has not been asked for. */
const UNASKED = -2;

/** Numbers of items in a file, by the dense numbers of a tick; each id is looked up once. */
export class ItemsOfFile {
  readonly used: UsedPropensities;
  readonly #textOf: (item: number) => string;
  #numbers = new Int32Array(0);

  constructor(used: UsedPropensities, textOf: (item: number) => string) {
    this.used = used;
    this.#textOf = textOf;
  }

  number(item: number): number {
    if (item >= this.#numbers.length) {
      const wider = new Int32Array(Math.max(item + 1, 2 * this.#numbers.length)).fill(UNASKED);
      wider.set(this.#numbers);
      this.#numbers = wider;
    }
    if (this.#numbers[item] === UNASKED) {
      this.#numbers[item] = this.used.learned.itemOf(this.#textOf(item));
    }
    return this.#numbers[item];
  }
}

/** What a file says of the rated pairs of a window, part by part. */
export class FilePropensities {
  readonly #used: UsedPropensities;
  readonly #items: ItemsOfFile;
  /** Ratings that users chose to give, by place of the margins, and those that have none. */
  readonly #observed: Float64Array;
  #elsewhere = 0;
  readonly #unknown = { users: 0, items: 0, values: 0 };

  constructor(items: ItemsOfFile) {
    this.#items = items;
    this.#used = items.used;
    this.#observed = new Float64Array(items.used.margins?.sums.length ?? 0);
  }

  /**
   * The part with P of each pair. @param nameOf id of a user by its number in the partition.
   * O(rows). Yields now and then.
   */
  *of(part: RatedPart, nameOf: (user: number) => string): Generator<void, RatedPart> {
    const { learned } = this.#used;
    const { users, start, item, rating, isRandom } = part;
    const chance = new Float64Array(item.length);
    for (let s = 0; s < users; s++) {
      const user = learned.userOf(nameOf(part.user[s]));
      for (let r = start[s]; r < start[s + 1]; r++) {
        const number = this.#items.number(item[r]);
        const p = learned.propensity(user, number, rating[r]);
        const isKnown = p > 0 && p <= 1;
        chance[r] = isKnown ? p : 0;
        // What was asked for at random is weighed by nothing.
        if (isRandom[r] === 0) this.#count(isKnown, user, number, rating[r]);
        if (r % SLICE_ROWS === SLICE_ROWS - 1) yield;
      }
    }
    return { ...part, learned: chance };
  }

  /** @param end of the window, ms. */
  report(end: number): PropensityFileReport {
    const { kind, version, date, comparison, margins } = this.#used;
    return {
      kind,
      version,
      date,
      comparison,
      ageMs: end - Date.parse(date),
      unknown: { ...this.#unknown },
      drift:
        margins === null
          ? null
          : { of: margins.of, ...marginDrift(this.#observed, this.#elsewhere, margins.sums) },
    };
  }

  #count(isKnown: boolean, user: number, item: number, rating: number): void {
    const place = this.#used.margins?.placeOf(item, rating) ?? -1;
    if (place < 0) this.#elsewhere++;
    else this.#observed[place]++;
    if (isKnown) return;
    if (user < 0) this.#unknown.users++;
    else if (item < 0) this.#unknown.items++;
    else this.#unknown.values++;
  }
}
