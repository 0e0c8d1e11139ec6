import { RANDOMIZED, SHOWN, SHOWN_BEFORE } from '../../events/columns.js';
import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import { type Dictionaries, markIds, type Places } from '../ids/dictionaries.js';
import { RecentIds } from '../ids/recent-ids.js';
import {
  EARLIER_LIST,
  HEADER,
  HIDDEN_LIST,
  hasRoom,
  LIST_BITS,
  LISTS_PER_SEGMENT,
  listCode,
  MODEL_MASK,
  newSegment,
  RANDOMIZED_LIST,
  rankOf,
  SEGMENT_MASK,
  type Segment,
  withModels,
  withRoom,
} from './list-segment.js';
import { LIST_LENGTH_MASK, NOT_IN_LIST, UNRANKED } from './window-part.js';

const NO_PROPENSITIES = new Float32Array(0);
/** Added to the size of a segment in a checkpoint if scores follow. */
const SCORES_FOLLOW = 0.5;
const NO_EXPOSURE = RANDOMIZED_LIST | HIDDEN_LIST | EARLIER_LIST;

/**
 * The ranked lists of a partition's users within the attribution ttl, and the latest list of each
 * (user, model). Lists are added in order of event time. A lookup therefore finds the latest list
 * at or before the current interaction, in any order of arrival.
 *
 * A reference to a list consists of the low bits of its segment's number and the list's index in
 * the segment. Segment numbers wrap after half a million, so an old reference may lead to another
 * user's list. Lookups therefore compare the user in the list's header.
 */
export class ListStore {
  /**
   * Result of `look` and `lookNamed`: the list's code as in `WindowPart.lists`, 0 without a usable
   * list.
   */
  code = 0;
  /**
   * Result of `look` and `lookNamed`: 0-based rank of the item, `NOT_IN_LIST`, or `UNRANKED` if
   * `code` is 0.
   */
  rank = UNRANKED;
  /** Result of `look`, `lookNamed` and `credit`: whether the list is randomised. */
  isRandomized = false;
  /** Result of `look` and `lookNamed`: whether the list was shown. */
  isShown = false;
  /**
   * Result of `look` and `lookNamed`: logged propensity of the item in the list, 0 if not logged.
   */
  propensity = 0;
  /** Result of `look` and `lookNamed`: score of the item in the list, NaN if not logged. */
  score = Number.NaN;
  /** Result of `credit`: the model of the list. */
  creditedModel = -1;
  /**
   * Result of `look` and `lookNamed`: the time of the list, ms. Only valid if `code` is above 0.
   */
  listedAt = Number.NEGATIVE_INFINITY;
  /**
   * Time of the list, ms. Only valid after `credit`, and after `look` or `lookNamed` if
   * `propensity` is above 0.
   */
  ts = Number.NEGATIVE_INFINITY;

  readonly #ttlMs: number;
  readonly #segments: Segment[] = [];
  #gone = 0;
  /** latest[model][user]: reference of the latest list + 1, 0 for none. */
  readonly #latest: (Int32Array | undefined)[] = [];
  /** By user: reference of the latest shown list + 1; only if rows record their causes. */
  #latestShown: Int32Array | undefined;
  readonly #areNamed: boolean;
  readonly #byExposure: RecentIds;
  /**
   * The latest lookup by id, since one interaction needs it several times. Its `ts` is NaN if it is
   * no longer valid.
   */
  readonly #latestNamed = {
    high: 0,
    low: 0,
    ts: Number.NaN,
    reference: -1,
  };

  /**
   * @param areNamed whether lists are looked up by id. @param followsCauses whether the last list
   * shown to a user is looked up.
   */
  constructor(attributionTtlMs: number, areNamed = true, followsCauses = false) {
    this.#latestShown = followsCauses ? new Int32Array(256) : undefined;
    this.#ttlMs = attributionTtlMs;
    this.#areNamed = areNamed;
    this.#byExposure = new RecentIds(attributionTtlMs, true);
  }

  /** Upper bound (exclusive) of the numbers of models with lists. */
  get modelCount(): number {
    return this.#latest.length;
  }

  /** Number of items of all stored lists. */
  get entries(): number {
    return this.#segments.reduce((sum, { used }) => sum + used, 0);
  }

  /** Drop models whose lists have all expired; their numbers may be reused. */
  forget(models: readonly number[]): void {
    for (const model of models) {
      this.#latest[model] = undefined;
    }
  }

  /** Numbers of the models that had a list and were not forgotten. */
  models(): number[] {
    return [...this.#latest.keys()].filter((model) => this.#latest[model] !== undefined);
  }

  /**
   * Add the list items[from] to items[to − 1]; `candidates` is −1 if not stated, and `propensities`
   * and `scores` are parallel to the items, if logged.
   */
  add(
    user: number,
    model: number,
    ts: number,
    idHigh: number,
    idLow: number,
    flags: number,
    candidates: number,
    items: Int32Array,
    from: number,
    to: number,
    propensities?: Float32Array,
    scores?: Float32Array,
  ): void {
    const segment = this.#segmentFor(to - from, ts);
    const list = segment.lists++;
    const start = segment.used;
    for (let at = from; at < to; at++) {
      segment.items[start + at - from] = items[at];
    }
    if (propensities !== undefined) {
      segment.propensities ??= new Float32Array(segment.items.length);
      segment.propensities.set(propensities.subarray(from, to), start);
    }
    if (scores !== undefined) {
      segment.scores ??= new Float32Array(segment.items.length).fill(Number.NaN);
      segment.scores.set(scores.subarray(from, to), start);
    }
    segment.used += to - from;
    segment.newestTs = ts;
    const header = list * HEADER;
    segment.headers[header] = user;
    let origin = (flags & RANDOMIZED) === 0 ? model : model | RANDOMIZED_LIST;
    const isShown = (flags & (SHOWN | SHOWN_BEFORE)) !== 0;
    if (!isShown) {
      origin |= HIDDEN_LIST;
    } else if ((flags & SHOWN) === 0) {
      origin |= EARLIER_LIST;
    }
    segment.headers[header + 1] = (origin << 16) | listCode(to - from, candidates, flags);
    segment.headers[header + 2] = start;
    segment.headers[header + 3] = ts - segment.firstTs;
    const number = this.#gone + this.#segments.length - 1;
    const reference = ((number & SEGMENT_MASK) << LIST_BITS) | list;
    this.#latestOf(model, user)[user] = reference + 1;
    if (this.#latestShown !== undefined && isShown) {
      this.#show(user, reference);
    }
    if (this.#areNamed) {
      this.#byExposure.add(idHigh, idLow, ts, reference);
      this.#latestNamed.ts = Number.NaN;
    }
  }

  /**
   * Look up `item` in the latest list of `model` for `user`, if that list is at most an attribution
   * ttl older than `ts`. Sets `rank`, `code` and the other results.
   *
   * @returns whether there is a list from which metrics can be computed
   */
  look(model: number, user: number, item: number, ts: number): boolean {
    const latest = this.#latest[model];
    const stored = latest === undefined || user >= latest.length ? 0 : latest[user];
    return this.#read(stored - 1, model, user, item, ts);
  }

  /**
   * Look up `item` in the list with this exposure id.
   *
   * @returns the list's model; −1 if the list is unknown, too old, another user's or not usable
   */
  lookNamed(idHigh: number, idLow: number, user: number, item: number, ts: number): number {
    const reference = this.#referenceOf(idHigh, idLow, ts);
    const header = (reference & (LISTS_PER_SEGMENT - 1)) * HEADER;
    const origin = this.#segmentOf(reference)?.headers[header + 1] ?? 0;
    const model = (origin >>> 16) & MODEL_MASK;
    return this.#read(reference, model, user, item, ts) ? model : -1;
  }

  /** The model of the list last shown to the user; −1 if none is within the attribution ttl. */
  served(user: number, ts: number): number {
    const shown = this.#latestShown;
    const reference = shown === undefined || user >= shown.length ? -1 : shown[user] - 1;
    const segment = this.#segmentOf(reference);
    if (segment === undefined) return -1;
    const header = (reference & (LISTS_PER_SEGMENT - 1)) * HEADER;
    const age = ts - segment.firstTs - segment.headers[header + 3];
    if (segment.headers[header] !== user || age > this.#ttlMs) return -1;
    return (segment.headers[header + 1] >>> 16) & MODEL_MASK;
  }

  /** Drop lists too old for interactions at or after `ts`. */
  expire(ts: number): void {
    let expired = 0;
    while (expired < this.#segments.length) {
      if (this.#segments[expired].newestTs + this.#ttlMs >= ts) break;
      expired++;
    }
    this.#segments.splice(0, expired);
    this.#gone += expired;
    this.#byExposure.expire(ts - this.#ttlMs);
    this.#latestNamed.ts = Number.NaN;
  }

  /** Write all lists. Must finish before the next pane closes. */
  *write(to: BinaryWriter, ids: Dictionaries): Generator<void, void> {
    to.number(this.#gone);
    to.column(Int32Array.from(this.models(), (model) => ids.models.place(model)));
    to.number(this.#segments.length);
    for (const segment of this.#segments) {
      const { items, propensities, scores, best, headers } = segment;
      const { firstTs, newestTs, lists, used } = segment;
      // A number below 0 announces credited actions, and a half announces scores.
      const size = items.length + (scores === undefined ? 0 : SCORES_FOLLOW);
      to.number(best === undefined ? size : -size);
      to.number(firstTs);
      to.number(newestTs);
      // Lists older than attribution.ttl may have a model that was dropped.
      const placeOf = (model: number) =>
        this.#latest[model] === undefined ? MODEL_MASK : ids.models.place(model);
      to.growing(withModels(headers, lists, placeOf));
      yield* ids.items.write(to, items, used, true);
      to.growing(propensities?.subarray(0, used) ?? NO_PROPENSITIES);
      if (best !== undefined) {
        to.growing(best, used);
      }
      if (scores !== undefined) {
        to.growing(scores, used);
      }
      to.cut();
      yield;
    }
    yield* this.#byExposure.capture()(to);
  }

  /**
   * Read stored lists, before anything is added; `writtenTtlMs` is the ttl they were stored with.
   */
  *read(
    from: BinaryReader,
    { items, models }: Places,
    writtenTtlMs: number,
  ): Generator<void, void> {
    this.#gone = from.number();
    for (const place of from.int32()) {
      this.#latestOf(models.id(place), 0);
    }
    const segments = from.count();
    for (let n = 0; n < segments; n++) {
      const size = from.number();
      const firstTs = from.number();
      const newestTs = from.number();
      const compact = from.int32();
      const lists = compact.length / HEADER;
      const idOf = (place: number) => (place === MODEL_MASK ? MODEL_MASK : models.id(place));
      const headers = withModels(compact, lists, idOf);
      const listed = items.column(from);
      const logged = from.float32();
      const propensities = logged.length === 0 ? undefined : logged;
      const best = size < 0 ? from.uint8() : undefined;
      const scores = Number.isInteger(size) ? undefined : from.float32();
      const used = listed.length;
      const columns = {
        items: listed,
        propensities,
        scores,
        best,
        headers,
      };
      const told = {
        ...columns,
        firstTs,
        newestTs,
        lists,
        used,
      };
      this.#segments.push(n < segments - 1 ? told : withRoom(told, Math.trunc(Math.abs(size))));
      this.#refer(headers, lists);
      yield;
    }
    yield* this.#byExposure.restore(from, writtenTtlMs);
  }

  /** Index lists in the order in which they were added; the last list of a user and model wins. */
  #refer(headers: Int32Array, lists: number): void {
    const number = this.#gone + this.#segments.length - 1;
    for (let list = 0; list < lists; list++) {
      const user = headers[list * HEADER];
      const model = (headers[list * HEADER + 1] >>> 16) & MODEL_MASK;
      const reference = ((number & SEGMENT_MASK) << LIST_BITS) | list;
      if (model !== MODEL_MASK) {
        this.#latestOf(model, user)[user] = reference + 1;
      }
      const isHidden = ((headers[list * HEADER + 1] >>> 16) & HIDDEN_LIST) !== 0;
      if (this.#latestShown !== undefined && !isHidden) {
        this.#show(user, reference);
      }
    }
  }

  #show(user: number, reference: number): void {
    this.#latestShown = roomFor(this.#latestShown, user);
    this.#latestShown[user] = reference + 1;
  }

  /**
   * Visit the lists that a policy showed to users, from ≤ ts < to, except randomised ones.
   *
   * @param visit called with items[start] to items[start + length − 1] of a user.
   */
  *shown(
    from: number,
    to: number,
    visit: (user: number, items: Int32Array, start: number, length: number) => void,
  ): Generator<void, void> {
    for (const { lists, headers, items, firstTs, newestTs, used } of this.#segments) {
      if (newestTs < from || firstTs >= to) continue;
      for (let list = 0; list < lists; list++) {
        const header = list * HEADER;
        const ts = firstTs + headers[header + 3];
        const origin = headers[header + 1] >>> 16;
        if (ts < from || ts >= to || (origin & NO_EXPOSURE) !== 0) continue;
        const start = headers[header + 2];
        const end = list + 1 < lists ? headers[header + HEADER + 2] : used;
        visit(headers[header], items, start, end - start);
      }
      yield;
    }
  }

  /** Mark the users with lists as in use: flags[user] = 1. */
  *markUsers(flags: Uint8Array): Generator<void, void> {
    for (const { headers, lists } of this.#segments) {
      for (let list = 0; list < lists; list++) {
        flags[headers[list * HEADER]] = 1;
      }
      yield;
    }
  }

  /** Mark the items in lists as in use: flags[item] = 1. */
  *markItems(flags: Uint8Array): Generator<void, void> {
    for (const { items, used } of this.#segments) {
      yield* markIds(flags, items, used);
    }
  }

  #read(reference: number, model: number, user: number, item: number, ts: number): boolean {
    this.code = 0;
    this.rank = UNRANKED;
    this.isRandomized = false;
    this.isShown = false;
    this.propensity = 0;
    this.score = Number.NaN;
    const segment = this.#segmentOf(reference);
    if (segment === undefined) return false;
    const headers = segment.headers;
    const header = (reference & (LISTS_PER_SEGMENT - 1)) * HEADER;
    const modelAndCode = headers[header + 1];
    const age = ts - segment.firstTs - headers[header + 3];
    const origin = modelAndCode >>> 16;
    if (headers[header] !== user || (origin & MODEL_MASK) !== model) return false;
    if (age > this.#ttlMs) return false;
    this.isRandomized = (origin & RANDOMIZED_LIST) !== 0;
    this.isShown = (origin & HIDDEN_LIST) === 0;
    const code = modelAndCode & 0xffff;
    if (code === 0) return false;
    this.code = code;
    this.listedAt = segment.firstTs + headers[header + 3];
    this.rank = rankOf(item, segment.items, headers[header + 2], code & LIST_LENGTH_MASK);
    if (segment.propensities !== undefined && this.rank !== NOT_IN_LIST) {
      this.propensity = segment.propensities[headers[header + 2] + this.rank];
      this.ts = segment.firstTs + headers[header + 3];
    }
    if (segment.scores !== undefined && this.rank !== NOT_IN_LIST) {
      this.score = segment.scores[headers[header + 2] + this.rank];
    }
    return true;
  }

  /**
   * Credit an action on `item` to the list with this exposure id. For each item of a list, the
   * class of its best action is stored. Sets `creditedModel`, `isRandomized` and `ts`.
   *
   * @param code reward class of the action
   * @returns the class stored for the item before; −1 if the list is unknown, too old, another
   * user's, or lacks the item; −2 if the list was not shown
   */
  credit(idHigh: number, idLow: number, user: number, item: number, at: number, code: number) {
    const reference = this.#referenceOf(idHigh, idLow, at);
    const segment = this.#segmentOf(reference);
    if (segment === undefined) return -1;
    const { headers, items, firstTs } = segment;
    const header = (reference & (LISTS_PER_SEGMENT - 1)) * HEADER;
    this.ts = firstTs + headers[header + 3];
    if (headers[header] !== user || at - this.ts > this.#ttlMs) return -1;
    const origin = headers[header + 1] >>> 16;
    if ((origin & HIDDEN_LIST) !== 0) return -2;
    const list = reference & (LISTS_PER_SEGMENT - 1);
    const start = headers[header + 2];
    const end = list + 1 < segment.lists ? headers[header + HEADER + 2] : segment.used;
    const rank = rankOf(item, items, start, end - start);
    if (rank === NOT_IN_LIST) return -1;
    this.isRandomized = (origin & RANDOMIZED_LIST) !== 0;
    this.creditedModel = origin & MODEL_MASK;
    segment.best ??= new Uint8Array(items.length);
    const before = segment.best[start + rank];
    if (code > before) {
      segment.best[start + rank] = code;
    }
    return before;
  }

  /** Reference of the list with this exposure id; −1 if it is unknown. */
  #referenceOf(high: number, low: number, ts: number): number {
    const latest = this.#latestNamed;
    if (latest.high !== high || latest.low !== low || latest.ts !== ts) {
      latest.high = high;
      latest.low = low;
      latest.ts = ts;
      latest.reference = this.#byExposure.find(high, low, ts);
    }
    return latest.reference;
  }

  #segmentOf(reference: number): Segment | undefined {
    if (reference < 0) return undefined;
    const index = ((reference >>> LIST_BITS) - this.#gone) & SEGMENT_MASK;
    return index < this.#segments.length ? this.#segments[index] : undefined;
  }

  #segmentFor(size: number, ts: number): Segment {
    const newest = this.#segments.at(-1);
    if (newest !== undefined && hasRoom(newest, size, ts)) return newest;
    const segment = newSegment(size, ts, newest === undefined);
    this.#segments.push(segment);
    return segment;
  }

  #latestOf(model: number, user: number): Int32Array {
    const before = this.#latest[model];
    const latest = roomFor(before, user);
    if (latest === before) return latest;
    while (this.#latest.length < model) {
      this.#latest.push(undefined);
    }
    this.#latest[model] = latest;
    return latest;
  }
}

/** The column, enlarged if needed to include the user. */
function roomFor(column: Int32Array | undefined, user: number): Int32Array {
  if (column !== undefined && user < column.length) return column;
  const larger = new Int32Array(Math.max(256, Math.ceil((user + 1) * 1.25)));
  if (column !== undefined) {
    larger.set(column);
  }
  return larger;
}
