import { marginDrift } from '../../estimators/propensity/margin-drift.js';
import type { UsedPropensities } from '../../estimators/propensity/used-propensities.js';
import type { RatedPart } from '../../state/panes/window-part.js';
import type { PropensityFileReport } from './rating-report.js';

/** Marks an item whose number in the file was not looked up yet. */
const UNASKED = -2;

/** Maps the item numbers of a tick to those of a propensities file. Each id is looked up once. */
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

/** Rated pairs with their propensities P from a file, and a report on the file. */
export interface FileRatings {
  readonly rated: RatedPart;
  readonly report: PropensityFileReport;
}

/**
 * Look up the propensities P of a window's rated pairs in a file. O(rows).
 *
 * @param nameOf id of a user by number. @param end of the window, event time, ms.
 */
export function fileRatings(
  rated: RatedPart,
  items: ItemsOfFile,
  nameOf: (user: number) => string,
  end: number,
): FileRatings {
  const { kind, version, date, comparison, learned, margins } = items.used;
  const { start, rating, isRandom } = rated;
  const chance = new Float64Array(rated.item.length);
  /**
   * Number of chosen ratings by index of the margins. `elsewhere` is the number of chosen ratings
   * that have no such index.
   */
  const observed = new Float64Array(margins?.sums.length ?? 0);
  let elsewhere = 0;
  const unknown = {
    users: 0,
    items: 0,
    values: 0,
  };
  for (let u = 0; u < rated.users; u++) {
    const user = learned.userOf(nameOf(rated.user[u]));
    for (let r = start[u]; r < start[u + 1]; r++) {
      const item = items.number(rated.item[r]);
      const p = learned.propensity(user, item, rating[r]);
      const isKnown = p > 0 && p <= 1;
      chance[r] = isKnown ? p : 0;
      // Ratings from randomised traffic have no weight.
      if (isRandom[r] === 1) continue;
      const place = margins?.placeOf(item, rating[r]) ?? -1;
      if (place < 0) {
        elsewhere++;
      } else {
        observed[place]++;
      }
      if (!isKnown) {
        unknown[user < 0 ? 'users' : item < 0 ? 'items' : 'values']++;
      }
    }
  }
  const drift = margins && {
    of: margins.of,
    ...marginDrift(observed, elsewhere, margins.sums),
  };
  const ageMs = end - Date.parse(date);
  return {
    rated: {
      ...rated,
      learned: chance,
    },
    report: {
      kind,
      version,
      date,
      comparison,
      ageMs,
      unknown,
      drift,
    },
  };
}
