import { ActionWorths } from '../../events/action-worths.js';
import { NAMES_EXPOSURE, RANDOMIZED, SHOWN, SHOWN_BEFORE } from '../../events/columns.js';
import { asksOfLists, isCapped, type PopularityRule } from '../../state/counts/popularity-rule.js';
import type { ExperimentState } from '../../state/panes/attribution.js';
import type { EarlyInteractions } from '../../state/panes/early-interactions.js';
import type { ExperimentEvents } from '../../state/panes/experiment-events.js';
import { type RowsRequest, windowPart } from '../../state/panes/group-by-user.js';
import type { OpenPane, PendingEvents } from '../../state/panes/open-pane.js';
import type { PaneCounts } from '../../state/panes/pane-content.js';
import type { PaneRows } from '../../state/panes/pane-rows.js';
import type { PaneTallies } from '../../state/panes/pane-tallies.js';
import { type PartitionOptions, PartitionState } from '../../state/panes/partition.js';
import type { SegmentNames } from '../../state/panes/row-segments.js';
import type { ServedLists } from '../../state/panes/served-lists.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import { runAtOnce } from '../sliced.js';

/**
 * Number of the pane of train events. An evaluation has two panes: the train events and the
 * evaluated events.
 */
export const TRAIN_PANE = 0;
/** Number of the pane of evaluated events. */
export const EVENTS_PANE = 1;
const FOR_EVER = Number.POSITIVE_INFINITY;

/** Options of evaluating a shard. */
export interface ShardOptions {
  readonly attributionTtlMs: number;
  /**
   * How much earlier than its attributed list an interaction may be, ms; see `PartitionOptions`.
   */
  readonly clockSkewMs?: number | undefined;
  /** Whether there is a train part, in any shard. */
  readonly isTrained: boolean;
  /** Whether rows store which list led to their interaction; see `PartitionOptions`. */
  readonly followsCauses: boolean;
  /** What popularity counts. A cap per user applies to each part separately. */
  readonly popularity: PopularityRule;
  /** Rewards of actions, as in `MonitorOptions`. */
  readonly actions?: Readonly<Record<string, number>> | undefined;
  /**
   * Which action the A/B test rewards, and whether its events are recorded; undefined if no test is
   * analysed.
   */
  readonly experiment?: Omit<ExperimentState, 'worths'> | undefined;
  /**
   * Time within which a request gets rewards; undefined if requests are not joined with rewards.
   */
  readonly value?: { readonly horizonMs: number } | undefined;
  /** Segment dimensions of rows. */
  readonly segments?: Pick<SegmentNames, 'dimensions' | 'names'> | undefined;
}

/** What the panes of a shard add to the counts. */
export interface ShardCounts {
  /** Counts of the train part; undefined without one. */
  readonly train: PaneCounts | undefined;
  readonly events: PaneCounts;
  /** Number of interactions by user over both parts; undefined if not needed. */
  readonly users?: Int32Array | undefined;
  /** Events that the A/B test needs, by part, oldest first. */
  readonly experiment?: readonly ExperimentEvents[] | undefined;
  /**
   * Interactions that came before the list they are attributed to; undefined for rows that were
   * attributed before.
   */
  readonly early?: EarlyInteractions | undefined;
}

/** A closed shard: its counts, and its rows on request. */
export interface ClosedShard {
  readonly counts: ShardCounts;
  /**
   * Sampling level: users of at least this depth are stored completely. The depth of a user is a
   * number drawn from the hash of the user's id.
   */
  readonly level: number;
  /**
   * The rows that a window needs, sampled at the given level.
   *
   * @param keys hashes of the users' ids, if users have keys
   */
  part(request: RowsRequest, level: number, keys?: Int32Array): WindowPart;
}

/**
 * The events of some users of an evaluation, with the same state as a partition of a stream. Users
 * are independent of each other, so shards are closed one after another.
 */
export class EvaluationShard {
  readonly #partition: PartitionState;
  readonly #isTrained: boolean;
  readonly #isCapped: boolean;
  #userCounts: Int32Array = new Int32Array(0);

  constructor(
    {
      train,
      events,
    }: {
      readonly train: OpenPane;
      readonly events: OpenPane;
    },
    options: ShardOptions,
    sampling: Pick<PartitionOptions, 'limits' | 'depths'> = {},
    tallies?: PaneTallies,
  ) {
    const { attributionTtlMs, isTrained, followsCauses, actions, popularity, value } = options;
    const { experiment } = options;
    const worths = new ActionWorths(actions ?? {}, experiment?.earning?.action);
    this.#isTrained = isTrained;
    this.#isCapped = isCapped(popularity);
    this.#partition = new PartitionState(
      {
        ...sampling,
        popularity,
        paneMs: 1,
        attributionTtlMs,
        clockSkewMs: options.clockSkewMs,
        horizonMs: FOR_EVER,
        followsCauses,
        segments: options.segments,
        worths: followsCauses ? worths : undefined,
        experiment: experiment && {
          worths,
          earning: experiment.earning,
          isRecorded: experiment.isRecorded,
        },
        requests: value && {
          horizonMs: value.horizonMs,
          closesWith: EVENTS_PANE,
          worths,
        },
        areListsNamed: namesLists(train) || namesLists(events),
      },
      tallies,
    );
    if (asksOfLists(popularity)) {
      markByNamedLists(train.pending, events.pending);
    }
    this.#partition.adopt(TRAIN_PANE, train);
    this.#partition.adopt(EVENTS_PANE, events);
  }

  /** Close both panes; to be called once. */
  close(): ShardCounts {
    const { closed } = this.#partition;
    if (!this.#isTrained) {
      const { counts, experiment } = runAtOnce(this.#partition.close(EVENTS_PANE));
      this.#userCounts = closed.userCounts.counts;
      return {
        train: undefined,
        events: counts,
        users: this.#allUsers(),
        early: this.#partition.early,
        experiment: experiment === undefined ? [] : [experiment],
      };
    }
    const train = runAtOnce(this.#partition.close(TRAIN_PANE));
    closed.dropRowsBefore(EVENTS_PANE);
    this.#userCounts = closed.userCounts.counts.slice();
    const events = runAtOnce(this.#partition.close(EVENTS_PANE));
    return {
      train: train.counts,
      events: events.counts,
      users: this.#allUsers(),
      early: this.#partition.early,
      experiment: [train, events].flatMap(({ experiment }) => experiment ?? []),
    };
  }

  #allUsers(): Int32Array | undefined {
    const { counts, size } = this.#partition.closed.userCounts;
    return this.#isCapped ? counts.slice(0, size) : undefined;
  }

  get level(): number {
    const { closed } = this.#partition;
    return Math.max(closed.rowsLevelSince(TRAIN_PANE), closed.usersLevelSince(TRAIN_PANE));
  }

  /** Rows of the evaluated pane, in order of event time; undefined if there are none. */
  get rows(): PaneRows | undefined {
    return this.#partition.closed.rows.find(({ pane }) => pane === EVENTS_PANE);
  }

  /**
   * Shown lists of the evaluated pane and their rewards; empty unless interactions are traced to
   * lists.
   */
  get served(): readonly ServedLists[] {
    return this.#partition.closed.served(EVENTS_PANE, EVENTS_PANE);
  }

  part(request: RowsRequest, level: number, keys?: Int32Array): WindowPart {
    const source = {
      closed: this.#partition.closed.sampled(level),
      userCounts: this.#userCounts,
      keyOf: keys && ((user: number) => keys[user]),
      reach: (from: number, to: number, items: number) =>
        runAtOnce(this.#partition.reach(from, to, items, level)),
    };
    return windowPart(source, request);
  }
}

function namesLists({ pending }: OpenPane): boolean {
  const { flags, length } = pending.interactions;
  let any = 0;
  for (let r = 0; r < length; r++) {
    any |= flags[r];
  }
  return (any & NAMES_EXPOSURE) !== 0;
}

/** Close a shard. */
export function closedShard(shard: EvaluationShard): ClosedShard {
  const counts = shard.close();
  return {
    counts,
    level: shard.level,
    part: (...asked) => shard.part(...asked),
  };
}

/**
 * Mark interactions of the train part that state the id of a list. If that list was randomised, the
 * interaction is marked as randomised. If the list was not served, the interaction no longer counts
 * as stating a list. The lists of both parts are stored in the evaluated part.
 */
function markByNamedLists({ interactions }: PendingEvents, { exposures }: PendingEvents): void {
  const named = namedIn(interactions);
  if (named.size === 0) return;
  const unlike = new Map<string, 'random' | 'hidden'>();
  for (let r = 0; r < exposures.length; r++) {
    const flags = exposures.flags[r];
    const isHidden = (flags & (SHOWN | SHOWN_BEFORE)) === 0;
    if (((flags & RANDOMIZED) === 0 && !isHidden) || !named.has(exposures.idLow[r])) continue;
    const name = `${exposures.user[r]} ${exposures.idHigh[r]} ${exposures.idLow[r]}`;
    unlike.set(name, (flags & RANDOMIZED) === 0 ? 'hidden' : 'random');
  }
  if (unlike.size === 0) return;
  const { user, exposureHigh, exposureLow, flags } = interactions;
  for (let r = 0; r < interactions.length; r++) {
    if ((flags[r] & NAMES_EXPOSURE) === 0) continue;
    const list = unlike.get(`${user[r]} ${exposureHigh[r]} ${exposureLow[r]}`);
    if (list === 'random') {
      flags[r] |= RANDOMIZED;
    } else if (list === 'hidden') {
      flags[r] &= ~NAMES_EXPOSURE;
    }
  }
}

/** Lower halves of the list ids that interactions state. */
function namedIn({ flags, exposureLow, length }: PendingEvents['interactions']): Set<number> {
  const named = new Set<number>();
  for (let r = 0; r < length; r++) {
    if ((flags[r] & NAMES_EXPOSURE) !== 0) {
      named.add(exposureLow[r]);
    }
  }
  return named;
}
