import type { RequestList } from './open-request.js';

/** Encoding of the shares of a kind of requests; plain data. */
interface ShareCoding {
  /** Bytes of each share. */
  readonly bytes: number;
  /** Each is a whole number of this part, 1 / scale; 0 for a floating-point number. */
  readonly scale: number;
  /**
   * Position of the share that is 1 minus the others, up to a correction of one byte; −1 if all are
   * written.
   */
  readonly rest: number;
}

/** Of 4, 7 and 9 decimals, floats of 32 bits, doubles from 2⁻¹⁵ on, and any double. */
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

/** The first byte of each double from 2⁻¹⁵ to 1. */
const FIRST_BYTE = 0x3f;
/** What is left of 1 and the share itself differ by so many of these, in a byte. */
const ROUNDING = 2 ** -57;

/**
 * The shortest form that gives each share back as it was, to the bit: of 9 decimals n / 10⁹ is the double
 * that was read, since a division rounds once, as reading does. Of doubles that are chances of all arms
 * the largest follows from the others: what their sum rounded by is a byte.
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

/** What the shares of a kind take. */
function bytesOfShares({ bytes, rest }: ShareCoding, count: number): number {
  return rest < 0 ? bytes * count : bytes * (count - 1) + 1;
}

/** @param coding of these shares. @param at byte at which they begin. */
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

/** One of the shares of a kind. @param at byte at which they begin. @param count of them. */
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

/** By how much a share differs from what the others leave of 1; NaN if that takes more than a byte. */
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
  // What is above 1 has no room, and a request with it is not used.
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

/** Room for one. */
const DOUBLE = new DataView(new ArrayBuffer(8));

/** The models that had a list in a request, and by what chance each would have been served. */
export interface RequestModels {
  /** Dense numbers, or those of columns. */
  readonly models: readonly number[];
  /** In the same order; NaN for a list that would not be served, or does not say. */
  readonly shares: readonly number[];
}

/** Kinds one after another with lists of the same models, of which the same state a share, written alike. */
export interface KindRun {
  /** Its kinds begin here, and end where those of the next run begin. */
  readonly firstKind: number;
  /** Dense numbers of the models, or those of columns. */
  readonly models: readonly number[];
  /** In the same order: place of the share among those of a kind; −1 for a list without. */
  readonly places: readonly number[];
  /** The shares of its first kind begin at this byte, and each kind has `width` of them. */
  readonly firstByte: number;
  readonly width: number;
  readonly coding: ShareCoding;
}

/**
 * What models made the lists of requests by what chances. Few differ, unless each request has shares of
 * its own: then `codingOf` says what each list with a share takes, and there is nothing beside. Immutable,
 * and nothing but data, since threads give them to each other.
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
  /** Of all kinds. */
  readonly shares: DataView;
}

/** In this order: a share of 0 or less is as if it had not been stated. */
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

/** List each run with the kind that it ends before. */
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

/** @param n place of the model in its run. */
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

/** Kinds with the same models, of which the same state a share. */
interface KindSet {
  readonly run: KindRun;
  /** Temporary numbers of its kinds, */
  readonly numbers: number[];
  /** and their shares. */
  readonly shares: number[];
}

/** Builder of numbers for kinds of requests: which models have lists, with which shares. */
export class KindNumbers {
  readonly #sets = new Map<string, KindSet>();
  readonly #numbers = new Map<string, number>();
  /** Of the request before: most are like it. */
  #last: readonly RequestList[] = [];
  #lastNumber = -1;

  /** A temporary number; `build` gives the final one. */
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

/** @param shares of all kinds, one after the other. */
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
