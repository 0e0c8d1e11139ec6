import { NO_COUNTS, type SparseCounts } from '../counts/sparse-counts.js';
import { type HeardModels, NONE_UNPLACED, type Unplaced } from '../ids/heard-models.js';
import type { PaneRequests } from '../requests/pane-requests.js';
import type { RequestTally } from '../requests/request-faults.js';
import type { ExperimentEvents } from './experiment-events.js';
import type { PaneRows } from './pane-rows.js';
import type { PaneUsers } from './pane-users.js';
import type { PaneLevels } from './sample-level.js';
import type { ServedLists } from './served-lists.js';

/** What one pane of a partition adds to the global counts. */
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
  /** Served lists and their rewards; only if causes are followed. */
  readonly served?: ServedLists | undefined;
  /** What an A/B test is read from; where one is looked for. */
  readonly experiment?: ExperimentEvents | undefined;
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
  sampledOut: {
    interactions: 0,
    exposures: 0,
  },
};
