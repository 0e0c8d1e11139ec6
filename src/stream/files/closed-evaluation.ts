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

/** Closed events of an evaluation, by groups of users who are independent of each other. */
export interface ClosedEvents {
  readonly shards: readonly ClosedShard[];
  /** First and last event of the evaluated part; empty from Infinity to −Infinity. */
  readonly span: {
    readonly from: number;
    readonly to: number;
  };
  /** Models that had a list. */
  readonly models: Iterable<number>;
  readonly leftOut: ModelsLeftOut | undefined;
  /** Whether there was a train part. */
  readonly isTrained: boolean;
  /** Hashes of the ids of a shard's users, if they are asked for. */
  keysOf(shard: number): Int32Array | undefined;
  /** Ids of a shard's users, if they are known. */
  nameOf(shard: number): ((user: number) => string) | undefined;
}

/** How closed events are evaluated. */
export interface EvaluatedWith {
  readonly options: EvaluationOptions;
  readonly ids: Ids;
  /** Takes the rows, where it will be asked what is behind gaps. */
  readonly rows: KeptRows;
}

/** Compute one window over all closed events, with the tick of the stream. */
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

/** Which interactions make items popular, without what a stream has beside. */
export function ruleOf({ popularity }: Pick<EvaluationOptions, 'popularity'>): PopularityRule {
  const { of, randomized, caused, userCap } = popularity;
  return {
    of,
    randomized,
    caused,
    userCap,
  };
}

/** Counts of items: what is known of them, and what of that is evaluated. */
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

/** Nothing is dropped before the end, and γ is fitted to all that was exposed. */
function forEver(options: EvaluationOptions): TickOptions {
  return {
    ...options,
    isWholeLog: true,
    tickMs: 1,
    attributionTtlMs: FOR_EVER,
    gamma: { periodMs: FOR_EVER },
  };
}

/** A partition whose part is there already: it was sampled where it was made. */
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

/** Of a stream's options, those that do not concern time. */
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
    /** Whether somebody will ask what the result is made of. */
    readonly keepsRows?: boolean | undefined;
    /** Whether rows that come as tables keep when they were; there are no limits then. */
    readonly keepsTimes?: boolean | undefined;
  };
