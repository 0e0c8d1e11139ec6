import type { LoggedChances, RequestList } from './open-request.js';

/**
 * Layout of a block, in words of four bytes: positions of the fields in the list's header, and
 * length of the header. The items follow the header, and then the rewards if the list was served.
 */
const NEXT = 0;
const MODEL = 1;
const SIZE = 2;
const SEEN = 3;
const SHARE = 4;
const HEADER = 6;
const FIRST_PAGE = 2 ** 10;
const LARGEST_PAGE = 2 ** 15;
/**
 * Number of low bits of an address that contain the block's offset in its page, in doubles. The
 * bits above them are the number of the page.
 */
const PLACE_BITS = 14;
const PLACE_MASK = (1 << PLACE_BITS) - 1;
/** Flag beside the model: the list was served. */
const SERVED = 1 << 30;
/**
 * Flag beside the model: the list is randomised, and its block also contains the number of
 * candidates.
 */
const DRAWN = 1 << 29;
/**
 * Position of two bits beside the model. They are 0 without logged propensities, otherwise 1 + the
 * kind of the propensities at the end of the block.
 */
const LOGGED_BITS = 27;
const LOGGED_MASK = 3 << LOGGED_BITS;
const FLAGS = SERVED | DRAWN | LOGGED_MASK;
/** Address that stands for no list. */
export const NO_LIST = -1;

interface Page {
  readonly words: Int32Array;
  readonly doubles: Float64Array;
  readonly floats: Float32Array;
}

/**
 * Memory for the lists of requests that close together, freed as a whole. Each list is a block of
 * 24 bytes, plus 4 bytes per item, 8 for the reward of each item in a served list, 8 for the number
 * of candidates of a randomised list, and 4 for each logged propensity.
 */
export class ListPages {
  readonly #pages: Page[] = [];
  #used = 0;

  /**
   * Append a list to the lists of its request.
   *
   * @param first address of the request's first list. @param isServed whether to add rewards,
   * initially 0.
   * @returns address of the request's first list, which is the new one if there was none
   */
  append(first: number, list: RequestList, isServed: boolean): number {
    const added = this.#add(list, isServed);
    const last = this.chain(first).at(-1);
    if (last === undefined) return added;
    this.#link(last, added);
    return first;
  }

  /** Addresses of all lists of a request, given the first. */
  chain(first: number): number[] {
    const found: number[] = [];
    for (let list = first; list !== NO_LIST; list = this.#word(list, NEXT)) {
      found.push(list);
    }
    return found;
  }

  /**
   * Remove the lists of these models from a request; their space is not reused. @returns address of
   * the first list that remains.
   */
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

  /** Read a list without copying its items. */
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

  /** Rewards of a served list, by position; they can be modified in place. */
  rewards(address: number): Float64Array {
    const at = wordOf(address);
    const { words, doubles } = this.#pages[address >> PLACE_BITS];
    const first = (at + HEADER + evenly(words[at + SIZE])) / 2;
    return doubles.subarray(first, first + words[at + SIZE]);
  }

  /** Number of candidates, stored after the rewards; NaN for a list that is not randomised. */
  #candidates(address: number): number {
    const at = wordOf(address);
    const { words } = this.#pages[address >> PLACE_BITS];
    if ((words[at + MODEL] & DRAWN) === 0) return Number.NaN;
    return words[at + bodyOf(words[at + SIZE], this.isServed(address))];
  }

  /** Logged propensities of a list, stored last and not copied; undefined if there are none. */
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

  /** Allocate a block in the newest page; a long list gets its own page. */
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

/** Number of words of a block without the candidates and propensities at its end. */
function bodyOf(length: number, isServed: boolean): number {
  return HEADER + evenly(length) + (isServed ? 2 * length : 0);
}

function wordOf(address: number): number {
  return (address & PLACE_MASK) * 2;
}

/** Round up to an even number of words, since doubles begin there. */
function evenly(words: number): number {
  return words + (words & 1);
}
