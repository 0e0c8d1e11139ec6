import { NO_COUNTS, type SparseCounts } from '../counts/sparse-counts.js';
import { type HeardModels, NONE_UNPLACED, type Unplaced } from '../ids/heard-models.js';
import type { PaneRequests } from '../requests/pane-requests.js';
import type { RequestTally } from '../requests/request-faults.js';
import type { ExperimentEvents } from './experiment-events.js';
import type { PaneRows } from './pane-rows.js';
import type { PaneUsers } from './pane-users.js';
import type { PaneLevels } from './sample-level.js';
import type { ServedLists } from './served-lists.js';

/** Contribution of one pane of a partition to the global counts. */
export interface PaneCounts {
  /** Positive interactions, per item. */
  readonly positives: SparseCounts;
  /** Interactions, positive or not, per item. */
  readonly interactions: SparseCounts;
  /** Interactions from randomised traffic, per item. */
  readonly randomized: SparseCounts;
  /** Positives from randomised traffic, per item; empty if not counted separately. */
  readonly randomizedPositives: SparseCounts;
  /**
   * By item: number of interactions of the counted kind that popularity excludes, since a shown
   * list drove them or their user is over the cap.
   */
  readonly leftOut: SparseCounts;
  /** Number of interactions that popularity excludes since their user is over the cap. */
  readonly overUserCap: number;
  /** By model: number of occurrences of each item in shown lists, without randomised lists. */
  readonly exposures: readonly SparseCounts[];
  /** Items of lists that do not count as exposure. Only the ids matter, not the counts. */
  readonly listed: SparseCounts;
  /** Numbers of the models that had any list in the pane, ascending. */
  readonly listing: readonly number[];
  /** Number of lists of each model in `listing`, including late ones. */
  readonly lists: readonly number[];
  /** Lists that were dropped because there was no room for their models. */
  readonly unplaced: Unplaced;
  /** Number of positive interactions for which no model had a list of the user. */
  readonly unranked: number;
  readonly sampledOut: SampledOut;
  /** Numbers of invalid and dropped requests, if there are any. */
  readonly requests?: RequestTally | undefined;
}

/**
 * Numbers of events of users outside the sample. These events are counted, but get no rows and
 * lists.
 */
export interface SampledOut {
  readonly interactions: number;
  readonly exposures: number;
}

/** Reach of randomised traffic in a pane. */
export interface RandomizedPane {
  readonly users: Int32Array;
  /** Number of list items shown by randomised lists, by user. */
  readonly shown: SparseCounts;
  /** Whether some randomised interaction could not be attributed to a logged randomised list. */
  readonly isPartlyLogged: boolean;
}

/** Content of a closed pane of one partition. */
export interface PaneContent {
  readonly pane: number;
  readonly levels: PaneLevels;
  readonly rows: PaneRows | undefined;
  /** Served lists and their rewards; only if rows record their causes (`RowCauses`). */
  readonly served?: ServedLists | undefined;
  /** Events for the A/B test, if one is analysed. */
  readonly experiment?: ExperimentEvents | undefined;
  /** Requests that closed with the pane, if any. */
  readonly requests?: PaneRequests | undefined;
  /** Interactions per user, positive or not. */
  readonly users: SparseCounts;
  /** Interactions from randomised traffic, per user. */
  readonly randomizedUsers: SparseCounts;
  readonly randomized: RandomizedPane;
  readonly counts: PaneCounts;
  /** Models tracked in the partition when the pane closed. */
  readonly models: HeardModels;
  /** A sample of the users with events in the pane; undefined if users are not sampled. */
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
