import type { RequestList } from './open-request.js';

/** Encoding of the shares (serving probabilities) of a kind of requests; plain data. */
interface ShareCoding {
  /** Number of bytes of a share. */
  readonly bytes: number;
  /**
   * A share is stored as a whole multiple of 1 / scale; 0 if it is stored as a floating-point
   * number.
   */
  readonly scale: number;
  /**
   * Index of the share that is computed as 1 minus the other shares, with a correction of one byte.
   * −1 if all shares are stored.
   */
  readonly rest: number;
}

/** Formats of a share: 4, 7 and 9 decimals, 32-bit floats, doubles from 2⁻¹⁵ on, and any double. */
const FORMS = [
  {
    bytes: 2,
    scale: 1e4,
  },
  {
    bytes: 3,
    scale: 1e7,
  },
  {
    bytes: 4,
    scale: 1e9,
  },
  {
    bytes: 4,
    scale: 0,
  },
  {
    bytes: 7,
    scale: 0,
  },
  {
    bytes: 8,
    scale: 0,
  },
] as const;

/** First byte of all doubles from 2⁻¹⁵ to 1, which shares of seven bytes omit. */
const FIRST_BYTE = 0x3f;
/** Unit of the one-byte correction of the share that is stored as 1 minus the others. */
const ROUNDING = 2 ** -57;

/**
 * Choose the shortest exact format of shares. With 9 decimals n / 10⁹ is the double that was read,
 * since a division rounds once, as parsing does. If shares need doubles and sum to 1, the largest
 * is computed from the others, with a one-byte rounding correction.
 *
 * @param shares in (0, 1].
 * @example
 * codingOf([0.25, 0.75]); // { bytes: 2, scale: 10000, rest: -1 }
 * codingOf([1 / 3, 2 / 3]); // { bytes: 7, scale: 0, rest: 1 }
 */
export function codingOf(shares: readonly number[]): ShareCoding {
  const form = FORMS.find((each) => shares.every((share) => isExact(share, each)))!;
  if (form.bytes <= 4) {
    return {
      ...form,
      rest: -1,
    };
  }
  const rest = shares.indexOf(Math.max(...shares));
  return {
    ...form,
    rest: Number.isNaN(leftOf(shares, rest)) ? -1 : rest,
  };
}

/** Number of bytes of the shares of a kind. */
function bytesOfShares({ bytes, rest }: ShareCoding, count: number): number {
  return rest < 0 ? bytes * count : bytes * (count - 1) + 1;
}

/** Write the shares of one kind. @param coding of these shares. @param at first byte. */
function writeShares(
  into: DataView,
  at: number,
  coding: ShareCoding,
  shares: readonly number[],
): void {
  let to = at;
  for (const [place, share] of shares.entries()) {
    if (place === coding.rest) continue;
    writeShare(into, to, coding, share);
    to += coding.bytes;
  }
  if (coding.rest >= 0) {
    into.setInt8(to, leftOf(shares, coding.rest) / ROUNDING);
  }
}

/** Read one of the shares of a kind. @param at first byte. @param count number of shares. */
function readShare(
  from: DataView,
  at: number,
  coding: ShareCoding,
  count: number,
  place: number,
): number {
  const { bytes, rest } = coding;
  if (place !== rest) {
    const before = rest >= 0 && place > rest ? place - 1 : place;
    return shareAt(from, at + bytes * before, coding);
  }
  let left = 1;
  const end = at + bytes * (count - 1);
  for (let own = at; own < end; own += bytes) {
    left -= shareAt(from, own, coding);
  }
  return left + from.getInt8(end) * ROUNDING;
}

/**
 * Rounding error by which a share differs from 1 minus the other shares; NaN if the error does not
 * fit in a byte.
 */
function leftOf(shares: readonly number[], rest: number): number {
  let left = 1;
  for (const [place, share] of shares.entries()) {
    if (place !== rest) {
      left -= share;
    }
  }
  const by = shares[rest] - left;
  const units = by / ROUNDING;
  const fits = Number.isInteger(units) && Math.abs(units) < 128 && left + by === shares[rest];
  return fits ? by : Number.NaN;
}

function isExact(share: number, { bytes, scale }: Omit<ShareCoding, 'rest'>): boolean {
  if (bytes === 8) return true;
  // Shares above 1 are invalid, and their requests are not used.
  if (share > 1) return false;
  if (scale > 0) return Math.round(share * scale) / scale === share;
  return bytes === 4 ? Math.fround(share) === share : share >= 2 ** -15;
}

function writeShare(into: DataView, at: number, { bytes, scale }: ShareCoding, share: number) {
  if (scale > 0) {
    let left = Math.round(share * scale);
    for (let n = 0; n < bytes; n++) {
      into.setUint8(at + n, left % 256);
      left = Math.floor(left / 256);
    }
  } else if (bytes === 4) {
    into.setFloat32(at, share, true);
  } else {
    DOUBLE.setFloat64(0, share, true);
    for (let n = 0; n < bytes; n++) {
      into.setUint8(at + n, DOUBLE.getUint8(n));
    }
  }
}

function shareAt(from: DataView, at: number, { bytes, scale }: ShareCoding): number {
  if (scale > 0) {
    const low = from.getUint16(at, true);
    if (bytes === 2) return low / scale;
    if (bytes === 3) return (low + from.getUint8(at + 2) * 0x10000) / scale;
    return (low + from.getUint16(at + 2, true) * 0x10000) / scale;
  }
  if (bytes === 4) return from.getFloat32(at, true);
  if (bytes === 8) return from.getFloat64(at, true);
  DOUBLE.setUint32(0, from.getUint32(at, true), true);
  DOUBLE.setUint32(4, (from.getUint32(at + 3, true) >>> 8) | (FIRST_BYTE << 24), true);
  return DOUBLE.getFloat64(0, true);
}

/** Buffer for one double. */
const DOUBLE = new DataView(new ArrayBuffer(8));

/** The models with a list in a request, and the probability with which each is served. */
export interface RequestModels {
  /** Model numbers or columns. */
  readonly models: readonly number[];
  /**
   * In the order of `models`: serving probability; NaN if the list is never served or states none.
   */
  readonly shares: readonly number[];
}

/**
 * Consecutive kinds of requests that have lists of the same models, shares for the same of these
 * models, and the same format of shares. See `RequestKinds`.
 */
export interface KindRun {
  /** First kind of the run, which ends at the first kind of the next run. */
  readonly firstKind: number;
  /** Model numbers or columns. */
  readonly models: readonly number[];
  /** In the order of `models`: index of the share within a kind; −1 for a list without a share. */
  readonly places: readonly number[];
  /** First byte of the shares of the run's first kind; each kind has `width` shares. */
  readonly firstByte: number;
  readonly width: number;
  readonly coding: ShareCoding;
}

/**
 * Kinds of requests. A kind is a set of models with their shares (serving probabilities). There are
 * few kinds, unless each request has shares of its own; `codingOf` then determines the memory per
 * share. Immutable plain data that can be passed between threads.
 *
 * @example
 * const kinds = requestKinds([
 *   { models: [0, 1, 2], shares: [0.5, 0.5, Number.NaN] },
 *   { models: [0, 1, 2], shares: [0.9, 0.1, Number.NaN] },
 * ]);
 * shareOf(kinds, 1, 1); // 0.1
 * kinds.shares.byteLength; // 8
 */
export interface RequestKinds {
  readonly length: number;
  readonly runs: readonly KindRun[];
  /** Shares of all kinds. */
  readonly shares: DataView;
}

/** Encode kinds in this order; a share of 0 or less counts as not stated. */
export function requestKinds(kinds: Iterable<RequestModels>): RequestKinds {
  const runs: KindRun[] = [];
  const all: number[] = [];
  let length = 0;
  let bytes = 0;
  let last = '';
  for (const { models, shares } of kinds) {
    const stated = shares.filter((share) => share > 0);
    const coding = codingOf(stated);
    const name = setName(models, shares, coding);
    if (length === 0 || name !== last) {
      runs.push(emptyRun(length, bytes, models, shares, coding));
    }
    last = name;
    all.push(...stated);
    bytes += bytesOfShares(coding, stated.length);
    length++;
  }
  return {
    length,
    runs,
    shares: writtenShares(runs, length, all),
  };
}

/** The run that a kind belongs to. O(log runs). */
export function runOf({ runs }: RequestKinds, kind: number): KindRun {
  let low = 0;
  let high = runs.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (runs[middle].firstKind <= kind) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return runs[low];
}

/** Probability that a model's list is served; NaN without a list. */
export function shareOf(kinds: RequestKinds, kind: number, model: number): number {
  const run = runOf(kinds, kind);
  return shareIn(kinds, run, kind, run.models.indexOf(model));
}

/** Iterate over runs with the kind at which each ends, exclusive. */
export function* runsOf({ runs, length }: RequestKinds): Generator<{
  readonly run: KindRun;
  readonly end: number;
}> {
  for (const [n, run] of runs.entries()) {
    yield {
      run,
      end: runs[n + 1]?.firstKind ?? length,
    };
  }
}

/** Renumber the models; lists of a model without a number are left out. */
export function kindsWithModels(
  { length, runs, shares }: RequestKinds,
  numberOf: (model: number) => number | undefined,
): RequestKinds {
  const renumbered = runs.map((run) => {
    const numbers = run.models.map(numberOf);
    const known = [...numbers.keys()].filter((n) => numbers[n] !== undefined);
    return {
      ...run,
      models: known.map((n) => numbers[n]!),
      places: known.map((n) => run.places[n]),
    };
  });
  return {
    length,
    runs: renumbered,
    shares,
  };
}

/** Keep the kinds of some requests, with the new number of each request's kind. */
export function kindsOnly(
  kinds: RequestKinds,
  kind: Int32Array,
): {
  readonly kinds: RequestKinds;
  readonly kind: Int32Array;
} {
  const numbers = new Int32Array(kinds.length).fill(-1);
  for (const each of kind) {
    numbers[each] = 0;
  }
  const runs: KindRun[] = [];
  const left = new Uint8Array(kinds.shares.byteLength);
  const bytes = new Uint8Array(kinds.shares.buffer, kinds.shares.byteOffset, left.length);
  let length = 0;
  let end = 0;
  for (const { run, end: endOfRun } of runsOf(kinds)) {
    const first = {
      firstKind: length,
      firstByte: end,
    };
    const each = bytesOfShares(run.coding, run.width);
    for (let own = run.firstKind; own < endOfRun; own++) {
      if (numbers[own] < 0) continue;
      numbers[own] = length++;
      const from = run.firstByte + (own - run.firstKind) * each;
      left.set(bytes.subarray(from, from + each), end);
      end += each;
    }
    if (length > first.firstKind) {
      runs.push({
        ...run,
        ...first,
      });
    }
  }
  const shares = new DataView(left.slice(0, end).buffer);
  return {
    kinds: {
      length,
      runs,
      shares,
    },
    kind: kind.map((own) => numbers[own]),
  };
}

/**
 * Probability that the list of a run's model is served in a kind; NaN if it has no share.
 *
 * @param n index of the model in its run.
 */
export function shareIn(
  { shares }: Pick<RequestKinds, 'shares'>,
  { firstKind, firstByte, width, coding, places }: KindRun,
  kind: number,
  n: number,
): number {
  const place = places[n] ?? -1;
  if (place < 0) return Number.NaN;
  const at = firstByte + (kind - firstKind) * bytesOfShares(coding, width);
  return readShare(shares, at, coding, width, place);
}

/** Kinds that will form a run: the same models, shares for the same of them, the same format. */
interface KindSet {
  readonly run: KindRun;
  /** Temporary numbers of the kinds. */
  readonly numbers: number[];
  /** Shares of the kinds, concatenated. */
  readonly shares: number[];
}

/**
 * Numbers the kinds of requests. Two requests are of one kind if the same models have lists in
 * them, with the same shares.
 */
export class KindNumbers {
  readonly #sets = new Map<string, KindSet>();
  readonly #numbers = new Map<string, number>();
  /** Lists of the previous request; most requests have the same models and shares. */
  #last: readonly RequestList[] = [];
  #lastNumber = -1;

  /** Temporary number of the kind of a request with these lists; `build` returns the final one. */
  of(lists: readonly RequestList[]): number {
    if (this.#lastNumber < 0 || !areAlike(lists, this.#last)) {
      this.#last = lists;
      this.#lastNumber = this.#numberOf(lists);
    }
    return this.#lastNumber;
  }

  /** All kinds, and the final number of each temporary number. */
  build(): {
    readonly kinds: RequestKinds;
    readonly numbers: Int32Array;
  } {
    const length = this.#numbers.size;
    const sets = [...this.#sets.values()];
    const numbers = new Int32Array(length);
    const runs: KindRun[] = [];
    let firstKind = 0;
    let firstByte = 0;
    for (const { run, numbers: own } of sets) {
      runs.push({
        ...run,
        firstKind,
        firstByte,
      });
      firstByte += own.length * bytesOfShares(run.coding, run.width);
      for (const number of own) {
        numbers[number] = firstKind++;
      }
    }
    const shares = sets.flatMap((set) => set.shares);
    return {
      kinds: {
        length,
        runs,
        shares: writtenShares(runs, length, shares),
      },
      numbers,
    };
  }

  #numberOf(lists: readonly RequestList[]): number {
    const sorted = [...lists].sort((a, b) => a.model - b.model);
    const models = sorted.map(({ model }) => model);
    const shares = sorted.map(({ share }) => (share > 0 ? share : Number.NaN));
    const name = `${models.join(' ')}|${shares.join(' ')}`;
    const known = this.#numbers.get(name);
    if (known !== undefined) return known;
    const number = this.#numbers.size;
    this.#numbers.set(name, number);
    const stated = shares.filter((share) => share > 0);
    const coding = codingOf(stated);
    const setOf = setName(models, shares, coding);
    const set = this.#sets.get(setOf) ?? {
      run: emptyRun(0, 0, models, shares, coding),
      numbers: [],
      shares: [],
    };
    this.#sets.set(setOf, set);
    set.numbers.push(number);
    set.shares.push(...stated);
    return number;
  }
}

function setName(
  models: readonly number[],
  shares: readonly number[],
  { bytes, scale, rest }: ShareCoding,
): string {
  const named = models.map((model, n) => (shares[n] > 0 ? `${model}+` : `${model}`));
  return `${named.join(' ')}|${bytes} ${scale} ${rest}`;
}

function emptyRun(
  firstKind: number,
  firstByte: number,
  models: readonly number[],
  shares: readonly number[],
  coding: ShareCoding,
): KindRun {
  let width = 0;
  const places = shares.map((share) => (share > 0 ? width++ : -1));
  return {
    firstKind,
    firstByte,
    width,
    coding,
    models: [...models],
    places,
  };
}

/** Encode the shares of all kinds. @param shares of all kinds, concatenated. */
function writtenShares(
  runs: readonly KindRun[],
  length: number,
  shares: readonly number[],
): DataView {
  const ends = runs.map((_, n) => runs[n + 1]?.firstKind ?? length);
  const bytesOf = (n: number) =>
    (ends[n] - runs[n].firstKind) * bytesOfShares(runs[n].coding, runs[n].width);
  const all = runs.reduce((sum, _, n) => sum + bytesOf(n), 0);
  const into = new DataView(new ArrayBuffer(all));
  let from = 0;
  let at = 0;
  for (const [n, { firstKind, width, coding }] of runs.entries()) {
    for (let kind = firstKind; kind < ends[n]; kind++) {
      writeShares(into, at, coding, shares.slice(from, from + width));
      from += width;
      at += bytesOfShares(coding, width);
    }
  }
  return into;
}

function areAlike(some: readonly RequestList[], others: readonly RequestList[]): boolean {
  if (some.length !== others.length) return false;
  return some.every(({ model, share }, n) => {
    return model === others[n].model && Object.is(share, others[n].share);
  });
}
