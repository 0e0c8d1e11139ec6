import type { CountedUsers } from '../../estimators/diagnostics/heavy-users.js';
import { needsScale } from '../../estimators/rules/needs.js';
import { ACROSS } from '../../features/across.js';
import { asksColumn, joinedRequests } from '../../features/works.js';
import { Popularity } from '../../state/counts/popularity.js';
import type { PopularityRule } from '../../state/counts/popularity-rule.js';
import { PopularityShare } from '../../state/counts/popularity-share.js';
import { userNumbers } from '../../state/panes/joined-part.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import type { FeatureOptions } from '../feature-types.js';
import { type Ids, namedModels } from '../ids.js';
import type { MonitorOptions } from '../options.js';
import type { CountedItems } from '../tick/item-counts.js';
import type { KeptRows } from '../tick/kept-rows.js';
import { Learned } from '../tick/learned.js';
import type { ModelsLeftOut, Snapshot } from '../tick/snapshot.js';
import { needsKeys, tick } from '../tick/tick.js';
import type { SampledRows, TickOptions, TickPartition } from '../tick/tick-input.js';
import { type ClosedShard, EVENTS_PANE, TRAIN_PANE } from './evaluation-shard.js';

const FOR_EVER = Number.POSITIVE_INFINITY;

/** All events of an evaluation after closing, divided into shards of independent users. */
export interface ClosedEvents {
  readonly shards: readonly ClosedShard[];
  /**
   * Event times of the first and last event of the evaluated part, ms; from Infinity to −Infinity
   * if there is none.
   */
  readonly span: {
    readonly from: number;
    readonly to: number;
  };
  /** Numbers of the models that have lists. */
  readonly models: Iterable<number>;
  /** Models left out because there are too many. */
  readonly leftOut: ModelsLeftOut | undefined;
  /** Whether there is a train part, from which popularity is counted. */
  readonly isTrained: boolean;
  /** Hashes of the user ids of a shard; undefined if they are not needed. */
  keysOf(shard: number): Int32Array | undefined;
  /** Returns the ids of a shard's users by number; undefined if they are not known. */
  nameOf(shard: number): ((user: number) => string) | undefined;
}

/** Options and tables that an evaluation needs beside the events. */
export interface EvaluatedWith {
  readonly options: EvaluationOptions;
  readonly ids: Ids;
  /** Receives the rows behind the result, for later questions about the gap between estimates. */
  readonly rows: KeptRows;
}

/** Compute one window over all closed events, with the same code as a tick of the stream. */
export function evaluated(closed: ClosedEvents, { options, ids, rows }: EvaluatedWith): Snapshot {
  const { shards } = closed;
  const level = Math.max(...shards.map((shard) => shard.level));
  const { from, to } = closed.span;
  const window = {
    ...(to < from
      ? {
          from: 0,
          to: 0,
        }
      : {
          from,
          to: to + 1,
        }),
    firstPane: EVENTS_PANE,
    lastPane: EVENTS_PANE,
    isDue: true,
  };
  const models = namedModels(closed.models, ids.models);
  const size = ids.items.size;
  const request = {
    window,
    models: models.map(({ id }) => id),
    isKeyed: needsKeys(options.estimates),
    asksRequests: joinedRequests(options) !== undefined,
    asksRatings: asksColumn(options, 'rated'),
    reachItems: needsScale(options.estimates) ? size : undefined,
  };
  const parts = shards.map((shard, s) => shard.part(request, level, closed.keysOf(s)));
  const snapshot = tick({
    windows: [
      {
        name: 'all',
        ms: FOR_EVER,
        ...window,
      },
    ],
    options: forEver(options),
    ids,
    models,
    leftOut: closed.leftOut,
    partitions: parts.map((part, s) => {
      const nameOf = closed.nameOf(s);
      const { users, experiment } = shards[s].counts;
      return made(part, level, {
        users: users && {
          counts: users,
          nameOf,
        },
        nameOf,
        experiment,
      });
    }),
    counted: counted(shards, closed.isTrained, options),
    learned: new Learned(
      {
        gamma: {
          ...options.gamma,
          periodMs: FOR_EVER,
        },
        maxModels: options.maxModels,
      },
      rows,
    ),
  });
  return Object.assign({}, snapshot, ...ACROSS.map((own) => own.once?.(snapshot, options)));
}

/** The popularity rule of an evaluation, without settings that only streams use. */
export function ruleOf({ popularity }: Pick<EvaluationOptions, 'popularity'>): PopularityRule {
  const { of, randomized, caused, userCap } = popularity;
  return {
    of,
    randomized,
    caused,
    userCap,
  };
}

/** Sum the popularity counts of items over all shards, separately for the train part. */
function counted(
  shards: readonly ClosedShard[],
  isTrained: boolean,
  options: EvaluationOptions,
): CountedItems {
  const rule = ruleOf(options);
  const observed = popularityBy(rule);
  const known = isTrained ? popularityBy(rule) : observed;
  for (const { counts } of shards) {
    const share = new PopularityShare(observed);
    share.addInteractions(counts.events, EVENTS_PANE + 1);
    share.addExposures(counts.events, EVENTS_PANE + 1);
    if (counts.train === undefined) continue;
    new PopularityShare(known).addInteractions(counts.train, TRAIN_PANE + 1);
    new PopularityShare(known).addCatalogue(counts.events, EVENTS_PANE + 1);
  }
  return {
    known,
    observed,
    weightsFrom: options.estimates.weightsFrom,
  };
}

function popularityBy(rule: PopularityRule): Popularity {
  return new Popularity({
    ...rule,
    paneMs: 1,
    horizonMs: FOR_EVER,
    gammaPeriodMs: FOR_EVER,
    windowsMs: [FOR_EVER],
  });
}

/** Options with infinite horizons, so that no count expires and γ is fitted to all exposures. */
function forEver(options: EvaluationOptions): TickOptions {
  return {
    ...options,
    isWholeLog: true,
    tickMs: 1,
    attributionTtlMs: FOR_EVER,
    gamma: { periodMs: FOR_EVER },
  };
}

/** Wrap the rows of a shard, which are already sampled and joined, as a partition of a tick. */
function made(
  part: WindowPart,
  level: number,
  {
    users,
    ...known
  }: Pick<SampledRows, 'nameOf' | 'experiment'> & { readonly users: CountedUsers | undefined },
): TickPartition {
  const rows: SampledRows = {
    rows: [],
    made: part,
    ...known,
    userNumbers: () => userNumbersOf(part),
    requests: () => part.requests ?? [],
  };
  return {
    level,
    users,
    sampled: () => rows,
  };
}

function userNumbersOf({ served = [], requests = [], rated }: WindowPart): number {
  return userNumbers([...served, ...requests, ...(rated ? [rated] : [])]);
}

/** Options of an evaluation of files: the options of a stream except those about time. */
export type EvaluationOptions = Pick<
  MonitorOptions,
  | 'attributionTtlMs'
  | 'clockSkewMs'
  | 'positiveMinValue'
  | 'actions'
  | 'catalogueSize'
  | 'maxModels'
  | 'baseline'
  | 'estimates'
  | 'limits'
  | 'segments'
> &
  FeatureOptions & {
    readonly popularity: PopularityRule;
    readonly gamma: Pick<MonitorOptions['gamma'], 'use' | 'default' | 'fit'>;
    /** Whether the rows behind the result are stored for later questions. */
    readonly keepsRows?: boolean | undefined;
    /** Whether the times of rows from tables are stored. Memory limits must then be off. */
    readonly keepsTimes?: boolean | undefined;
  };
