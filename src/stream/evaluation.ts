import { type ExposureColumns, type InteractionColumns, SHOWN } from '../events/columns.js';
import { POSITIVE } from '../state/open-pane.js';
import { PartitionState } from '../state/partition.js';
import { Popularity } from '../state/popularity.js';
import { RecentIds } from '../state/recent-ids.js';
import { samplingRatio } from '../state/sample-level.js';
import { UserDepths } from '../state/user-depths.js';
import { GammaChoice } from './gamma-choice.js';
import type { MonitorOptions } from './options.js';
import type { Outcomes } from './outcomes.js';
import { type Ids, namedModels } from './pane-tick.js';
import { sampledPartitions } from './sampled-partitions.js';
import type { Snapshot } from './snapshot.js';
import { tick } from './tick.js';

const TRAIN = 0;
const EVENTS = 1;
const FOR_EVER = Number.POSITIVE_INFINITY;

/** Of a stream's options, those that do not concern time. */
export type EvaluationOptions = Pick<
  MonitorOptions,
  | 'attributionTtlMs'
  | 'positiveMinValue'
  | 'catalogueSize'
  | 'maxModels'
  | 'baseline'
  | 'estimates'
  | 'limits'
> & {
  readonly popularity: Pick<MonitorOptions['popularity'], 'of'>;
  readonly gamma: Pick<MonitorOptions['gamma'], 'use' | 'default' | 'fit'>;
};

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
  readonly #ids: Ids;
  readonly #partition: PartitionState;
  readonly #seen = { exposures: new RecentIds(FOR_EVER), interactions: new RecentIds(FOR_EVER) };
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;
  #trained = false;

  constructor(options: EvaluationOptions, ids: Ids) {
    this.#options = options;
    this.#ids = ids;
    // Two panes by number, not by time: what is known, and what is evaluated.
    const users = ids.users?.(0);
    this.#partition = new PartitionState({
      paneMs: 1,
      attributionTtlMs: options.attributionTtlMs,
      horizonMs: FOR_EVER,
      depths: users && new UserDepths(users),
      ...(options.limits && { limits: options.limits }),
    });
  }

  /** Adds events of the train part or of the evaluated part, in any order. */
  accept(
    part: 'train' | 'events',
    interactions: InteractionColumns,
    exposures: ExposureColumns,
    outcomes: Outcomes,
  ): void {
    const train = part === 'train';
    this.#trained ||= train;
    const { idHigh, idLow } = interactions;
    this.#seen.interactions.warm(idHigh, idLow, interactions.length);
    for (let r = 0; r < interactions.length; r++) {
      if (this.#isDuplicate('interactions', interactions, r, outcomes)) continue;
      const positive = interactions.value[r] >= this.#options.positiveMinValue ? POSITIVE : 0;
      const pane = train ? TRAIN : EVENTS;
      this.#partition.addInteraction(pane, interactions, r, interactions.flags[r] | positive);
      if (!train) this.#widen(interactions.ts[r]);
    }
    this.#seen.exposures.warm(exposures.idHigh, exposures.idLow, exposures.length);
    for (let r = 0; r < exposures.length; r++) {
      if (this.#isDuplicate('exposures', exposures, r, outcomes)) continue;
      if (exposures.model[r] >= this.#options.maxModels) {
        outcomes.modelOverCap++;
        continue;
      }
      // A list of the train part may rank later interactions; as an exposure it is of the past.
      const flags = train ? exposures.flags[r] & ~SHOWN : exposures.flags[r];
      this.#partition.addExposure(EVENTS, exposures, r, flags);
      if (!train) this.#widen(exposures.ts[r]);
    }
  }

  /** Evaluates; to be called once, after the last event. */
  *result(): Generator<void, Snapshot> {
    const options = this.#options;
    const observed = this.#popularity();
    const known = this.#trained ? this.#popularity() : observed;
    let userCounts: Int32Array | undefined;
    if (this.#trained) {
      const { counts } = yield* this.#partition.close(TRAIN);
      known.share().addInteractions(counts, TRAIN + 1);
      this.#partition.closed.dropRowsBefore(EVENTS);
      userCounts = this.#partition.closed.userCounts.counts.slice();
    }
    const { counts } = yield* this.#partition.close(EVENTS);
    const share = observed.share();
    share.addInteractions(counts, EVENTS + 1);
    share.addExposures(counts, EVENTS + 1);
    if (known !== observed) known.share().addCatalogue(counts, EVENTS + 1);
    const catalogue = yield* known.catalogue();
    const size = this.#ids.items.size;
    const lagged = new Float64Array(size);
    if (this.#trained) lagged.set(known.popularity().counts.subarray(0, size));
    const [from, to] = this.#to < this.#from ? [0, 0] : [this.#from, this.#to + 1];
    const { closed } = this.#partition;
    const level = Math.max(closed.rowsLevelSince(TRAIN), closed.usersLevelSince(TRAIN));
    const all = {
      closed,
      userCounts: userCounts ?? closed.userCounts.counts,
      users: this.#ids.users?.(0),
      reach: this.#partition.reach.bind(this.#partition),
    };
    return yield* tick({
      paneEnd: to,
      windows: [{ name: 'all', ms: FOR_EVER, from, to, firstPane: EVENTS, lastPane: EVENTS }],
      partitions: yield* sampledPartitions([all], level),
      samplingRatio: samplingRatio(level),
      known,
      observed,
      lagged,
      items: this.#ids.items,
      models: namedModels(this.#partition.models(), this.#ids.models),
      catalogueSize: options.catalogueSize ?? catalogue.size,
      isInCatalogue: catalogue.has,
      baseline: options.baseline,
      // Nothing is let go of before the end.
      attributionTtlMs: FOR_EVER,
      gamma: new GammaChoice(options.gamma.use, options.gamma.default, options.gamma.fit),
      gammaPeriodMs: FOR_EVER,
      estimates: options.estimates,
    });
  }

  #isDuplicate(
    role: 'exposures' | 'interactions',
    columns: InteractionColumns | ExposureColumns,
    r: number,
    outcomes: Outcomes,
  ): boolean {
    const found = this.#seen[role].add(columns.idHigh[r], columns.idLow[r], columns.ts[r]) >= 0;
    if (found) outcomes.duplicate++;
    else outcomes.accepted++;
    return found;
  }

  #widen(ts: number): void {
    if (ts < this.#from) this.#from = ts;
    if (ts > this.#to) this.#to = ts;
  }

  #popularity(): Popularity {
    return new Popularity({
      paneMs: 1,
      horizonMs: FOR_EVER,
      gammaPeriodMs: FOR_EVER,
      windowsMs: [FOR_EVER],
      of: this.#options.popularity.of,
    });
  }
}
