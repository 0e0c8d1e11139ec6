import type { LoggedChances, RequestList } from './open-request.js';

/**
 * Layout of a block, in words of four bytes: header of a list, its items, and rewards if it was
 * served.
 */
const NEXT = 0;
const MODEL = 1;
const SIZE = 2;
const SEEN = 3;
const SHARE = 4;
const HEADER = 6;
const FIRST_PAGE = 2 ** 10;
const LARGEST_PAGE = 2 ** 15;
/** An address: a page, and where the block begins in it, in doubles. */
const PLACE_BITS = 14;
const PLACE_MASK = (1 << PLACE_BITS) - 1;
/** Set beside the model of a served list. */
const SERVED = 1 << 30;
/** Set beside the model of a list that was drawn: from how many items stands at its end. */
const DRAWN = 1 << 29;
/** Beside the model, in two bits: 1 + the kind of the propensities at the end of a list that has them. */
const LOGGED_BITS = 27;
const LOGGED_MASK = 3 << LOGGED_BITS;
const FLAGS = SERVED | DRAWN | LOGGED_MASK;
/** Instead of an address. */
export const NO_LIST = -1;

interface Page {
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly floats: Float32Array;
}

/**
 * Lists of requests that close together, each a block of 24 bytes beside its items, 4 bytes an item
 * and 8 for the reward of each in a served one, 8 for how many items a list was drawn from, and 4 for
 * the propensity of each that was logged. They go as a whole.
 */
export class ListPages {
  readonly #pages: Page[] = [];
  #used = 0;

  /**
   * Adds a list behind those of its request.
   *
   * @param first address of the first of these. @param isServed with room for rewards, all 0.
   * @returns address of the first from now on
   */
  append(first: number, list: RequestList, isServed: boolean): number {
    const added = this.#add(list, isServed);
    const last = this.chain(first).at(-1);
    if (last === undefined) return added;
    this.#link(last, added);
    return first;
  }

  /** Addresses of all lists of a request, by that of the first. */
  chain(first: number): number[] {
    const found: number[] = [];
    for (let list = first; list !== NO_LIST; list = this.#word(list, NEXT)) {
      found.push(list);
    }
    return found;
  }

  /** Leaves lists of models out; their room is not used again. @returns address of the first. */
  without(first: number, models: readonly number[]): number {
    const kept = this.chain(first).filter((list) => !models.includes(this.model(list)));
    for (const [n, list] of kept.entries()) {
      this.#link(list, kept[n + 1] ?? NO_LIST);
    }
    return kept[0] ?? NO_LIST;
  }

  model(address: number): number {
    return this.#word(address, MODEL) & ~FLAGS;
  }

  isServed(address: number): boolean {
    return (this.#word(address, MODEL) & SERVED) !== 0;
  }

  /** The items lie where they are, and are not copied. */
  read(address: number): RequestList {
    const at = wordOf(address);
    const { words, doubles } = this.#pages[address >> PLACE_BITS];
    return {
      model: words[at + MODEL] & ~FLAGS,
      share: doubles[(at + SHARE) / 2],
      depth: words[at + SEEN] & 0xffff,
      firstRank: words[at + SEEN] >>> 16,
      candidates: this.#candidates(address),
      items: words.subarray(at + HEADER, at + HEADER + words[at + SIZE]),
      logged: this.#logged(address),
    };
  }

  /** By place, of a list that was added as a served one; they are changed where they are. */
  rewards(address: number): Float64Array {
    const at = wordOf(address);
    const { words, doubles } = this.#pages[address >> PLACE_BITS];
    const first = (at + HEADER + evenly(words[at + SIZE])) / 2;
    return doubles.subarray(first, first + words[at + SIZE]);
  }

  /** Behind the rewards, if there are any; NaN for a list that was not drawn. */
  #candidates(address: number): number {
    const at = wordOf(address);
    const { words } = this.#pages[address >> PLACE_BITS];
    if ((words[at + MODEL] & DRAWN) === 0) return Number.NaN;
    return words[at + bodyOf(words[at + SIZE], this.isServed(address))];
  }

  /** Behind all else; they lie where they are. */
  #logged(address: number): LoggedChances | undefined {
    const at = wordOf(address);
    const { words, floats } = this.#pages[address >> PLACE_BITS];
    const kind = (words[at + MODEL] & LOGGED_MASK) >>> LOGGED_BITS;
    if (kind === 0) return undefined;
    const drawn = (words[at + MODEL] & DRAWN) === 0 ? 0 : 2;
    const first = at + bodyOf(words[at + SIZE], this.isServed(address)) + drawn;
    return {
      kind: kind - 1,
      propensities: floats.subarray(first, first + words[at + SIZE]),
    };
  }

  #add(
    { model, share, depth, firstRank, candidates, items, logged }: RequestList,
    isServed: boolean,
  ): number {
    const { length } = items;
    const drawn = candidates >= 0 ? 2 : 0;
    const body = bodyOf(length, isServed);
    const at = this.#take(body + drawn + (logged === undefined ? 0 : evenly(length)));
    const { words, doubles, floats } = this.#pages.at(-1)!;
    const kind = logged === undefined ? 0 : logged.kind + 1;
    words[at + NEXT] = NO_LIST;
    words[at + MODEL] =
      model | (isServed ? SERVED : 0) | (drawn > 0 ? DRAWN : 0) | (kind << LOGGED_BITS);
    words[at + SIZE] = length;
    words[at + SEEN] = depth | (firstRank << 16);
    doubles[(at + SHARE) / 2] = share;
    for (let n = 0; n < length; n++) {
      words[at + HEADER + n] = items[n];
    }
    if (drawn > 0) {
      words[at + body] = candidates;
    }
    if (logged !== undefined) {
      floats.set(logged.propensities, at + body + drawn);
    }
    return ((this.#pages.length - 1) << PLACE_BITS) | (at / 2);
  }

  #link(address: number, next: number): void {
    this.#pages[address >> PLACE_BITS].words[wordOf(address) + NEXT] = next;
  }

  #word(address: number, word: number): number {
    return this.#pages[address >> PLACE_BITS].words[wordOf(address) + word];
  }

  /** Room for a block in the newest page; a long list has one of its own. */
  #take(words: number): number {
    const page = this.#pages.at(-1)?.words.length ?? 0;
    if (this.#used + words > page) {
      const size = Math.max(words, Math.min(LARGEST_PAGE, 2 * page), FIRST_PAGE);
      const buffer = new ArrayBuffer(4 * size);
      this.#pages.push({
        words: new Int32Array(buffer),
        doubles: new Float64Array(buffer),
        floats: new Float32Array(buffer),
      });
      this.#used = 0;
    }
    const at = this.#used;
    this.#used += words;
    return at;
  }
}

/** Words of a block without what stands at its end. */
function bodyOf(length: number, isServed: boolean): number {
  return HEADER + evenly(length) + (isServed ? 2 * length : 0);
}

function wordOf(address: number): number {
  return (address & PLACE_MASK) * 2;
}

/** Rewards are doubles, which begin at even words. */
function evenly(words: number): number {
  return words + (words & 1);
}
