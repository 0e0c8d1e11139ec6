import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import { NO_COUNTS, type SparseCounts } from '../counts/sparse-counts.js';
import { type Dictionaries, markIds, type Places } from '../ids/dictionaries.js';
import {
  type HeardModels,
  NONE_UNPLACED,
  readHeard,
  readUnplaced,
  type Unplaced,
  writeHeard,
  writeUnplaced,
} from '../ids/heard-models.js';
import type { IdDictionary, IdPlaces } from '../ids/id-dictionary.js';
import type { PaneRequests } from '../requests/pane-requests.js';
import type { RequestTally } from '../requests/request-faults.js';
import { readRequests, readTally, writeRequests, writeTally } from '../requests/stored-requests.js';
import { type PaneRows, readRows, writeRows } from './pane-rows.js';
import { type PaneUsers, readPaneUsers, writePaneUsers } from './pane-users.js';
import type { PaneLevels } from './sample-level.js';
import { readServed, type ServedLists, writeServed } from './served-lists.js';

/** What one pane adds to the global counts: sums over partitions, so partitions may be anywhere. */
export interface PaneCounts {
  /** Per item. */
  readonly positives: SparseCounts;
  /** Per item, of any value. */
  readonly interactions: SparseCounts;
  /** Per item, those of them that came from randomised traffic. */
  readonly randomized: SparseCounts;
  /** Per item, those of the positives that did; empty where they are not counted apart. */
  readonly randomizedPositives: SparseCounts;
  /**
   * Per item, those of the kind that makes items popular which do not count all the same: shown
   * lists caused them, or their users are over the cap.
   */
  readonly leftOut: SparseCounts;
  /** How many of them are over the cap. */
  readonly overUserCap: number;
  /** Per model: how often each item stood in a shown list; randomised lists are not in it. */
  readonly exposures: readonly SparseCounts[];
  /** Items of the lists that are not exposures; their counts mean nothing. */
  readonly listed: SparseCounts;
  /** Models that had a list of any kind, ascending. */
  readonly listing: readonly number[];
  /** How many lists each of these had, late ones included. */
  readonly lists: readonly number[];
  /** What was left out because its models found no place. */
  readonly unplaced: Unplaced;
  /** Positive interactions without a list of any model. */
  readonly unranked: number;
  readonly sampledOut: SampledOut;
  /** What became of requests beside their rows; if there is anything to say. */
  readonly requests?: RequestTally | undefined;
}

/** Events that count in popularity and left no list and no row, as their users are not sampled. */
export interface SampledOut {
  readonly interactions: number;
  readonly exposures: number;
}

/** Whom randomised traffic reached in a pane, and with how much. */
export interface RandomizedPane {
  readonly users: Int32Array;
  /** Items that its lists showed, by user. */
  readonly shown: SparseCounts;
  /** Whether there were interactions from it whose lists are not logged. */
  readonly isPartlyLogged: boolean;
}

/** All that a pane of one partition leaves behind when it closes. */
export interface PaneContent {
  readonly pane: number;
  readonly levels: PaneLevels;
  readonly rows: PaneRows | undefined;
  /** Lists that were shown, and what came of them; only there where causes are followed. */
  readonly served?: ServedLists | undefined;
  /** Requests that it closed; if there was any. */
  readonly requests?: PaneRequests | undefined;
  /** Interactions per user, of any value. */
  readonly users: SparseCounts;
  /** Those of them that came from randomised traffic. */
  readonly randomizedUsers: SparseCounts;
  readonly randomized: RandomizedPane;
  readonly counts: PaneCounts;
  /** Models that have a place in the partition; any other that had one has left nothing. */
  readonly models: HeardModels;
  /** A sample of those who had events; where ids of users are known. */
  readonly seen?: PaneUsers | undefined;
}

export const NO_PANE_COUNTS: PaneCounts = {
  positives: NO_COUNTS,
  interactions: NO_COUNTS,
  randomized: NO_COUNTS,
  randomizedPositives: NO_COUNTS,
  leftOut: NO_COUNTS,
  overUserCap: 0,
  exposures: [],
  listed: NO_COUNTS,
  listing: [],
  lists: [],
  unplaced: NONE_UNPLACED,
  unranked: 0,
  sampledOut: { interactions: 0, exposures: 0 },
};

/** Dictionaries for state that leaves its partition's owner: there users go by their texts too. */
export interface DictionariesWithUsers extends Dictionaries {
  readonly users: IdDictionary;
}

export interface PlacesWithUsers extends Places {
  readonly users: IdPlaces;
}

/** What the number after the users' counts says. */
const PARTLY_LOGGED = 1;
const COUNTS_RANDOMIZED_APART = 2;
const LEAVES_OUT = 4;
const LISTS_SERVED = 8;
const TELLS_MODELS = 16;
const CLOSES_REQUESTS = 32;
const TELLS_OF_REQUESTS = 64;
const SAMPLES_USERS = 128;

/** To be read by `readPaneContent`. Yields now and then. */
export function* writePaneContent(
  to: BinaryWriter,
  content: PaneContent,
  ids: DictionariesWithUsers,
): Generator<void, void> {
  const { pane, levels, rows, served, users, randomizedUsers, randomized, counts } = content;
  to.number(pane);
  to.number(levels.rows);
  to.number(levels.users);
  yield* writeSparse(to, users, ids.users);
  yield* writeSparse(to, randomizedUsers, ids.users);
  yield* ids.users.write(to, randomized.users);
  yield* writeSparse(to, randomized.shown, ids.users);
  const isApart = counts.randomizedPositives.ids.length > 0;
  const leavesOut = counts.leftOut.ids.length > 0;
  to.number(
    (randomized.isPartlyLogged ? PARTLY_LOGGED : 0) |
      (isApart ? COUNTS_RANDOMIZED_APART : 0) |
      (leavesOut ? LEAVES_OUT : 0) |
      (served === undefined ? 0 : LISTS_SERVED) |
      (content.requests === undefined ? 0 : CLOSES_REQUESTS) |
      (counts.requests === undefined ? 0 : TELLS_OF_REQUESTS) |
      (content.seen === undefined ? 0 : SAMPLES_USERS) |
      TELLS_MODELS,
  );
  writeHeard(to, content.models, ids.models);
  to.number(rows === undefined ? 0 : 1);
  if (rows !== undefined) {
    // Dense users are their owner's own, and may be others after it was started again.
    const user = rows.user.slice(0, rows.length).map((id) => ids.users.place(id));
    yield* writeRows(to, { ...rows, user }, ids);
  }
  if (served !== undefined) {
    const user = served.user.map((id) => ids.users.place(id));
    writeServed(to, { ...served, user }, ids);
    yield;
  }
  if (content.requests !== undefined) {
    const user = content.requests.user.map((id) => ids.users.place(id));
    yield* writeRequests(to, { ...content.requests, user }, ids);
  }
  if (counts.requests !== undefined) writeTally(to, counts.requests);
  if (content.seen !== undefined) writePaneUsers(to, content.seen);
  const { positives, interactions, exposures, listed, listing, unranked, sampledOut } = counts;
  for (const each of [positives, interactions, counts.randomized, listed]) {
    yield* writeSparse(to, each, ids.items);
  }
  if (isApart) yield* writeSparse(to, counts.randomizedPositives, ids.items);
  if (leavesOut) {
    yield* writeSparse(to, counts.leftOut, ids.items);
    to.number(counts.overUserCap);
  }
  to.number(unranked);
  to.number(sampledOut.interactions);
  to.number(sampledOut.exposures);
  writeUnplaced(to, counts.unplaced);
  to.column(Int32Array.from(listing, (model) => ids.models.place(model)));
  to.column(Int32Array.from(counts.lists));
  // Of lists that are not exposures nothing is counted for their model.
  for (const model of listing) yield* writeSparse(to, exposures[model] ?? NO_COUNTS, ids.items);
}

export function* readPaneContent(
  from: BinaryReader,
  places: PlacesWithUsers,
): Generator<void, PaneContent> {
  const pane = from.number();
  const levels = { rows: from.number(), users: from.number() };
  const users = readSparse(from, places.users);
  const randomizedUsers = readSparse(from, places.users);
  const reachedUsers = places.users.column(from);
  const shown = readSparse(from, places.users);
  const marks = from.number();
  const isPartlyLogged = (marks & PARTLY_LOGGED) !== 0;
  const tellsModels = (marks & TELLS_MODELS) !== 0;
  const models = tellsModels ? readHeard(from, places.models) : undefined;
  let rows: PaneRows | undefined;
  if (from.number() === 1) {
    const written = readRows(from, places);
    rows = { ...written, user: written.user.map((place) => places.users.id(place)) };
  }
  let served: ServedLists | undefined;
  if ((marks & LISTS_SERVED) !== 0) {
    const written = readServed(from, places);
    served = { ...written, user: written.user.map((place) => places.users.id(place)) };
  }
  let requests: PaneRequests | undefined;
  if ((marks & CLOSES_REQUESTS) !== 0) {
    const written = readRequests(from, places);
    requests = { ...written, user: written.user.map((place) => places.users.id(place)) };
  }
  const tally = (marks & TELLS_OF_REQUESTS) !== 0 ? readTally(from) : undefined;
  const seen = (marks & SAMPLES_USERS) !== 0 ? readPaneUsers(from) : undefined;
  yield;
  const [positives, interactions, randomized, listed] = Array.from({ length: 4 }, () =>
    readSparse(from, places.items),
  );
  const isApart = (marks & COUNTS_RANDOMIZED_APART) !== 0;
  const randomizedPositives = isApart ? readSparse(from, places.items) : NO_COUNTS;
  const leavesOut = (marks & LEAVES_OUT) !== 0;
  const leftOut = leavesOut ? readSparse(from, places.items) : NO_COUNTS;
  const overUserCap = leavesOut ? from.number() : 0;
  const unranked = from.number();
  const sampledOut = { interactions: from.number(), exposures: from.number() };
  const unplaced = tellsModels ? readUnplaced(from) : NONE_UNPLACED;
  const ofModels = yield* readExposures(from, places, tellsModels);
  const apart = { randomized, randomizedPositives, leftOut, overUserCap };
  const ofItems = { positives, interactions, ...apart, listed };
  const others = { unplaced, unranked, sampledOut, ...(tally && { requests: tally }) };
  const counts = { ...ofItems, ...ofModels, ...others };
  const reached = { users: reachedUsers, shown, isPartlyLogged };
  const ofUsers = { users, randomizedUsers, randomized: reached };
  const left = { rows, served, ...(requests && { requests }), ...(seen && { seen }), ...ofUsers };
  return { pane, levels, ...left, counts, models: models ?? new Map() };
}

function* readExposures(
  from: BinaryReader,
  { models, items }: Pick<Places, 'models' | 'items'>,
  tellsLists: boolean,
): Generator<void, Pick<PaneCounts, 'listing' | 'lists' | 'exposures'>> {
  const exposures: SparseCounts[] = [];
  const places = from.int32();
  const lists = tellsLists ? from.int32() : new Int32Array(places.length);
  const listing = Array.from(places, (place, n) => [models.id(place), lists[n]] as const);
  for (const [model] of listing) {
    const counts = readSparse(from, items);
    if (counts.ids.length === 0) continue;
    while (exposures.length < model) exposures.push(NO_COUNTS);
    exposures[model] = counts;
    yield;
  }
  listing.sort(([a], [b]) => a - b);
  return {
    ...{ listing: listing.map(([model]) => model), lists: listing.map(([, count]) => count) },
    exposures,
  };
}

function* writeSparse(
  to: BinaryWriter,
  { ids, counts }: SparseCounts,
  dictionary: IdDictionary,
): Generator<void, void> {
  yield* dictionary.write(to, ids);
  to.number(counts.BYTES_PER_ELEMENT);
  to.column(counts);
}

function readSparse(from: BinaryReader, places: IdPlaces): SparseCounts {
  const ids = places.column(from);
  const counts = from.number() === 1 ? from.uint8() : from.int32();
  return { ids, counts };
}

/** Sets the flags of the users that a pane left. */
export function* markPaneUsers(flags: Uint8Array, content: PaneContent): Generator<void, void> {
  const { rows, served, requests, users, randomizedUsers, randomized } = content;
  if (requests !== undefined) yield* markIds(flags, requests.user);
  if (rows !== undefined) yield* markIds(flags, rows.user, rows.length);
  if (served !== undefined) yield* markIds(flags, served.user);
  for (const ids of [users.ids, randomizedUsers.ids, randomized.users]) yield* markIds(flags, ids);
}

/** Sets the flags of the items that a pane left. */
export function* markPaneItems(flags: Uint8Array, content: PaneContent): Generator<void, void> {
  const { rows, counts } = content;
  if (rows !== undefined) yield* markIds(flags, rows.item, rows.length);
  const { positives, interactions, randomizedPositives, leftOut, listed, exposures } = counts;
  const apart = [counts.randomized, randomizedPositives, leftOut];
  const all = [positives, interactions, ...apart, listed, ...exposures];
  for (const { ids } of all) {
    yield* markIds(flags, ids);
  }
}
