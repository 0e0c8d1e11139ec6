import type { SparseCounts } from '../counts/sparse-counts.js';
import { NO_COUNTS } from '../counts/sparse-counts.js';
import { UNKNOWN_ITEM, withRequestModels } from '../requests/pane-requests.js';
import { type ExperimentEvents, NO_LIST } from './experiment-events.js';
import type { PaneContent, PaneCounts } from './pane-content.js';
import type { PaneRows } from './pane-rows.js';
import { renumbered } from './row-causes.js';
import { compactSegments } from './row-segments.js';
import { withModels } from './served-lists.js';

/** New numbers of users, items and models. */
export interface PaneNumbers {
  user(number: number): number;
  item(number: number): number;
  model(number: number): number;
}

/** Renumber users, items and models of a pane's content for another process. Oversized arrays are trimmed. */
export function renumberedPane(content: PaneContent, numbers: PaneNumbers): PaneContent {
  const { rows, served, experiment, requests, randomized } = content;
  const users = (column: Int32Array) => column.map((user) => numbers.user(user));
  const items = (column: Int32Array) =>
    column.map((item) => (item === UNKNOWN_ITEM ? item : numbers.item(item)));
  const ofUsers = ({ ids, counts }: SparseCounts) => ({
    ids: users(ids),
    counts,
  });
  const ofItems = ({ ids, counts }: SparseCounts) => ({
    ids: items(ids),
    counts,
  });
  const model = (number: number) => numbers.model(number);
  return {
    pane: content.pane,
    levels: content.levels,
    rows: rows && renumberedRows(rows, numbers),
    served: served && {
      ...withModels(served, model),
      user: users(served.user),
    },
    experiment: experiment && renumberedExperiment(experiment, numbers),
    requests: requests && {
      ...withRequestModels(requests, model),
      user: users(requests.user),
      segments: requests.segments && compactSegments(requests.segments, requests.length),
      items: {
        ...withRequestModels(requests, model).items,
        item: items(requests.items.item),
      },
    },
    users: ofUsers(content.users),
    randomizedUsers: ofUsers(content.randomizedUsers),
    randomized: {
      users: users(randomized.users),
      shown: ofUsers(randomized.shown),
      isPartlyLogged: randomized.isPartlyLogged,
    },
    counts: renumberedCounts(content.counts, ofItems, model),
    models: new Map([...content.models].map(([number, heard]) => [model(number), heard])),
    seen: content.seen,
  };
}

function renumberedRows(rows: PaneRows, numbers: PaneNumbers): PaneRows {
  const { length, causes, ratings, segments } = rows;
  const model = (number: number) => numbers.model(number);
  return {
    pane: rows.pane,
    length,
    user: rows.user.subarray(0, length).map((user) => numbers.user(user)),
    item: rows.item.subarray(0, length).map((item) => numbers.item(item)),
    flags: rows.flags.subarray(0, length),
    propensity: rows.propensity?.subarray(0, length),
    causes: causes && renumbered(causes, model),
    ratings: ratings && {
      rating: ratings.rating,
      scores: byModel(ratings.scores, undefined, model),
    },
    segments: segments && compactSegments(segments, length),
    ranks: byModel(cut(rows.ranks, length), undefined, model),
    lists: byModel(cut(rows.lists, length), undefined, model),
  };
}

function cut(
  columns: readonly (Uint16Array | undefined)[],
  length: number,
): (Uint16Array | undefined)[] {
  return columns.map((column) => column?.subarray(0, length));
}

function renumberedCounts(
  counts: PaneCounts,
  ofItems: (counts: SparseCounts) => SparseCounts,
  model: (number: number) => number,
): PaneCounts {
  return {
    ...counts,
    positives: ofItems(counts.positives),
    interactions: ofItems(counts.interactions),
    randomized: ofItems(counts.randomized),
    randomizedPositives: ofItems(counts.randomizedPositives),
    leftOut: ofItems(counts.leftOut),
    listed: ofItems(counts.listed),
    exposures: byModel(counts.exposures.map(ofItems), NO_COUNTS, model),
    listing: counts.listing.map(model),
  };
}

function renumberedExperiment(
  { lists, rewards, hasOtherActions }: ExperimentEvents,
  numbers: PaneNumbers,
): ExperimentEvents {
  const users = (column: Int32Array) => column.map((user) => numbers.user(user));
  return {
    lists: {
      ...lists,
      user: users(lists.user),
      model: lists.model.map((model) => numbers.model(model)),
      segments: lists.segments && compactSegments(lists.segments, lists.user.length),
    },
    rewards: {
      ...rewards,
      user: users(rewards.user),
      model: rewards.model.map((model) => (model === NO_LIST ? model : numbers.model(model))),
    },
    hasOtherActions,
  };
}

/** Values by the models' new numbers; models without a number are dropped. */
function byModel<Value>(
  values: readonly Value[],
  nothing: Value,
  numberOf: (model: number) => number,
): Value[] {
  const all: Value[] = [];
  for (const [model, value] of values.entries()) {
    if (value === undefined || value === nothing) continue;
    const number = numberOf(model);
    while (all.length < number) {
      all.push(nothing);
    }
    all[number] = value;
  }
  return all;
}
