import type { PairVerdict } from '../../decision/pair-verdict.js';
import { type RatingLook, ratingLook } from '../../decision/rating-look.js';
import { singleLook } from '../../decision/single-look.js';
import type { CountedUsers } from '../../estimators/diagnostics/heavy-users.js';
import { plausibleGamma } from '../../estimators/known/gamma-error.js';
import { needsScale } from '../../estimators/registry/needs.js';
import type { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import type { SegmentTable } from '../../events/segments/segment-table.js';
import { Popularity } from '../../state/counts/popularity.js';
import type { PopularityRule } from '../../state/counts/popularity-rule.js';
import { PopularityShare } from '../../state/counts/popularity-share.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import type { DecisionOptions } from '../decision/decision-options.js';
import { type Ids, namedModels } from '../ids.js';
import type { Outcomes } from '../ingest/outcomes.js';
import { followsCauses, type MonitorOptions } from '../options.js';
import { runAtOnce } from '../sliced.js';
import type { ModelsLeftOut, Snapshot } from '../snapshot.js';
import type { CountedItems } from '../tick/item-counts.js';
import { Learned } from '../tick/learned.js';
import { needsKeys, tick } from '../tick/tick.js';
import type { SampledRows, TickOptions, TickPartition } from '../tick/tick-input.js';
import { KeptRows } from '../why/kept-rows.js';
import { type GapReport, Why } from '../why/why.js';
import { windowGaps } from '../why/window-gaps.js';
import { EvaluationIntake, type EvaluationPart } from './evaluation-intake.js';
import {
  type ClosedShard,
  closedHere,
  EVENTS_PANE,
  type EvaluationCrew,
  EvaluationShard,
  NO_CREW,
  TRAIN_PANE,
} from './evaluation-shard.js';

const FOR_EVER = Number.POSITIVE_INFINITY;

/** Of a stream's options, those that do not concern time. */
export type EvaluationOptions = Pick<
  MonitorOptions,
  | 'attributionTtlMs'
  | 'positiveMinValue'
  | 'actions'
  | 'catalogueSize'
  | 'maxModels'
  | 'baseline'
  | 'estimates'
  | 'limits'
  | 'value'
  | 'decision'
  | 'ratings'
  | 'segments'
> & {
  readonly popularity: PopularityRule;
  readonly gamma: Pick<MonitorOptions['gamma'], 'use' | 'default' | 'fit'>;
  /** Whether `gaps` will be asked for, which keeps the rows for it. */
  readonly asksWhy?: boolean | undefined;
};

/** Ids of the events, and what rows are divided by, if by anything. */
export type EvaluationIds = Ids & { readonly segments?: SegmentTable | undefined };

/**
 * One window over all events, computed by the same state and the same tick as the stream's.
 *
 * With train events, popularity, posteriors and the levels of the γ fit come from them alone, and
 * they are not evaluated; their lists serve for attribution. Without, the evaluated events feed
 * popularity and posteriors themselves, and γ has no earlier period to take its levels from: its
 * status is `too_few_levels`.
 */
export class Evaluation {
  readonly #options: EvaluationOptions;
  readonly #ids: EvaluationIds;
  readonly #intake: EvaluationIntake;
  readonly #outcomes: Outcomes;
  readonly #rows: KeptRows;

  /** @param outcomes takes what becomes of the events; right once there is a result. */
  constructor(options: EvaluationOptions, ids: EvaluationIds, outcomes: Outcomes) {
    this.#options = options;
    this.#ids = ids;
    this.#outcomes = outcomes;
    this.#rows = new KeptRows(options.asksWhy ? Number.POSITIVE_INFINITY : 0);
    const limits = options.limits && { ...options.limits, popularity: this.#rule };
    const users = ids.users?.(0);
    this.#intake = new EvaluationIntake({ ...options, limits, users }, outcomes);
  }

  /**
   * Adds events of a part, in any order. The columns of users are overwritten.
   *
   * @param share how much of the part has come with these; 1 if that is not known.
   */
  accept(
    part: EvaluationPart,
    interactions: InteractionColumns,
    exposures: ExposureColumns,
    share = 1,
  ): void {
    this.#intake.accept(part, interactions, exposures, share);
  }

  /** Evaluates; to be called once, after the last event. */
  async result(crew: EvaluationCrew = NO_CREW): Promise<Snapshot> {
    const options = this.#options;
    const intake = this.#intake;
    intake.settle();
    const shards = await this.#close(crew);
    for (const { counts } of shards) {
      this.#outcomes.addRequests(counts.train?.requests);
      this.#outcomes.addRequests(counts.events.requests);
    }
    const counted = this.#counted(shards);
    const level = Math.max(...shards.map((shard) => shard.level));
    const { from, to } = intake.span;
    const window = {
      ...(to < from ? { from: 0, to: 0 } : { from, to: to + 1 }),
      ...{ firstPane: EVENTS_PANE, lastPane: EVENTS_PANE, isDue: true },
    };
    const models = namedModels(intake.models, this.#ids.models);
    const size = this.#ids.items.size;
    const request = {
      window,
      models: models.map(({ id }) => id),
      isKeyed: needsKeys(options.estimates),
      asksRequests: options.value !== undefined,
      asksRatings: options.ratings !== undefined,
      reachItems: needsScale(options.estimates) ? size : undefined,
      isShared: crew.work !== undefined,
    };
    const parts = await Promise.all(
      shards.map((shard, s) => shard.part(request, level, this.#keys(s))),
    );
    const work = tick({
      windows: [{ name: 'all', ms: FOR_EVER, ...window }],
      options: forEver(options),
      ids: this.#ids,
      models,
      leftOut: this.#leftOut,
      partitions: parts.map((part, s) =>
        made(part, level, this.#countedUsers(s, shards), this.#nameOf(s)),
      ),
      counted,
      learned: new Learned(
        {
          gamma: { ...options.gamma, periodMs: FOR_EVER },
          ...{ drift: undefined, maxModels: options.maxModels },
        },
        this.#rows,
      ),
      work: crew.work,
    });
    return withVerdicts(await runAwaiting(crew, work), options);
  }

  /** What is behind the widest gaps of the result, by the metric that decides; none unless `asksWhy`. */
  gaps({ windows: [window] }: Snapshot): GapReport[] {
    const why = new Why(this.#rows, this.#ids.items);
    return runAtOnce(windowGaps(why, window, this.#options.decision?.metric));
  }

  /** Those that came after `maxModels` others, in the order of the files. */
  get #leftOut(): ModelsLeftOut | undefined {
    const { modelsLeftOut } = this.#intake;
    if (modelsLeftOut.size === 0) return undefined;
    const some = [...modelsLeftOut].slice(0, 5).map((id) => this.#ids.models.text(id));
    return { models: modelsLeftOut.size, names: some.sort() };
  }

  /** Counts of items: what is known of them, and what of that is evaluated. */
  #counted(shards: readonly ClosedShard[]): CountedItems {
    const observed = this.#popularity();
    const known = this.#intake.isTrained ? this.#popularity() : observed;
    for (const { counts } of shards) {
      const share = new PopularityShare(observed);
      share.addInteractions(counts.events, EVENTS_PANE + 1);
      share.addExposures(counts.events, EVENTS_PANE + 1);
      if (counts.train === undefined) continue;
      new PopularityShare(known).addInteractions(counts.train, TRAIN_PANE + 1);
      new PopularityShare(known).addCatalogue(counts.events, EVENTS_PANE + 1);
    }
    return { known, observed, weightsFrom: this.#options.estimates.weightsFrom };
  }

  get #rule(): PopularityRule {
    const { of, randomized, caused, userCap } = this.#options.popularity;
    return { of, randomized, caused, userCap };
  }

  async #close(crew: EvaluationCrew): Promise<readonly ClosedShard[]> {
    const { shards, isTrained, limits, depths } = this.#intake;
    const { attributionTtlMs } = this.#options;
    const { segments } = this.#ids;
    const options = {
      ...{ attributionTtlMs, isTrained, followsCauses: followsCauses(this.#options) },
      popularity: this.#rule,
      actions: this.#options.actions,
      value: this.#options.value && { horizonMs: this.#options.value.horizonMs },
      segments: segments && { dimensions: segments.dimensions, names: segments.names },
    };
    if (limits !== undefined) {
      return shards.map((panes) =>
        closedHere(new EvaluationShard(panes, options, { limits, depths })),
      );
    }
    const events = shards.map((panes) => ({
      train: panes.train.pending,
      events: panes.events.pending,
    }));
    return await crew.close(events, options);
  }

  /** Hashes of the ids of a shard's users. */
  #keys(shard: number): Int32Array | undefined {
    const users = this.#ids.users?.(0);
    const isAsked = needsKeys(this.#options.estimates) || this.#intake.hasRequests;
    if (users === undefined || !isAsked) return undefined;
    const { shards, users: sizes } = this.#intake;
    return Int32Array.from({ length: sizes[shard] }, (_, user) =>
      users.hash(user * shards.length + shard),
    );
  }

  #countedUsers(shard: number, { [shard]: { counts } }: readonly ClosedShard[]) {
    if (counts.users === undefined) return undefined;
    return { counts: counts.users, nameOf: this.#nameOf(shard) };
  }

  #nameOf(shard: number): ((user: number) => string) | undefined {
    const users = this.#ids.users?.(0);
    const shards = this.#intake.shards.length;
    return users && ((user) => users.text(user * shards + shard));
  }

  #popularity(): Popularity {
    return new Popularity({
      ...this.#rule,
      paneMs: 1,
      horizonMs: FOR_EVER,
      gammaPeriodMs: FOR_EVER,
      windowsMs: [FOR_EVER],
    });
  }
}

/** Runs to the end, and waits where the crew does. */
async function runAwaiting<T>(crew: EvaluationCrew, work: Generator<void, T>): Promise<T> {
  for (;;) {
    const step = work.next();
    if (step.done) return step.value;
    const pending = crew.pending?.();
    if (pending !== undefined) await pending;
  }
}

/** Nothing is dropped before the end, and γ is fitted to all that was exposed. */
function forEver(options: EvaluationOptions): TickOptions {
  // All of the log is there.
  const ratings = options.ratings && { ...options.ratings, isCatalogueKnown: true };
  return {
    ...options,
    ratings,
    tickMs: 1,
    attributionTtlMs: FOR_EVER,
    gamma: { periodMs: FOR_EVER },
  };
}

/** A partition whose part is there already: it was sampled where it was made. */
function made(
  part: WindowPart | undefined,
  level: number,
  users: CountedUsers | undefined,
  nameOf: SampledRows['nameOf'],
): TickPartition {
  const rows: SampledRows = {
    ...{ rows: [], knowsReach: true, made: part, nameOf },
    requests: () => atOnce(part?.requests ?? []),
  };
  return { level, users, sampled: () => atOnce(rows) };
}

// biome-ignore lint/correctness/useYield: there is nothing left to do.
function* atOnce<T>(value: T): Generator<void, T> {
  return value;
}

/** By the rule of a single look, where verdicts are asked for. */
function withVerdicts(snapshot: Snapshot, options: EvaluationOptions): Snapshot {
  const { decision, ratings } = options;
  const byRatings = ratings?.decides;
  if (decision === undefined && byRatings === undefined) return snapshot;
  return {
    ...snapshot,
    verdicts: [
      ...(decision === undefined ? [] : ofGains(snapshot, decision.metric)),
      ...(byRatings === undefined ? [] : ofRatings(snapshot, byRatings, ratings?.reference)),
    ],
  };
}

function ofGains(snapshot: Snapshot, asked: DecisionOptions['metric']): PairVerdict[] {
  const { from, to, valueDifferences = [], feedback, ...window } = snapshot.windows[0];
  // The built-in model is nobody's choice.
  const differences = window.differences.filter(({ model }) => model !== snapshot.baseline);
  const uncaused = feedback?.uncaused?.differences ?? [];
  const own = window.sensitivity.find(({ metric, k }) => metric === asked.metric && k === asked.k);
  const looked = {
    ...{ from, to, differences, uncaused, valueDifferences },
    ...{ flips: own?.flips ?? [], gamma: snapshot.propensity.gamma },
    plausibleGamma: plausibleGamma(snapshot.propensity, window.exponentTest),
  };
  return singleLook(looked, asked);
}

/** @param reference the first model, if nobody names one, as where differences are taken. */
function ofRatings(
  { windows: [{ from, to, ratings }] }: Snapshot,
  metric: RatingLook['metric'],
  reference = ratings?.models[0]?.model,
): PairVerdict[] {
  if (ratings === undefined || reference === undefined) return [];
  return ratingLook(ratings, { from, to, metric, reference });
}
