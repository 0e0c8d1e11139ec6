import { type ExposureColumns, type InteractionColumns, SHOWN } from '../events/columns.js';
import { IdSet } from '../events/id-set.js';
import { POSITIVE } from '../state/open-pane.js';
import { PartitionState } from '../state/partition.js';
import { Popularity } from '../state/popularity.js';
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

type Part = 'train' | 'events';

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
  readonly #seen = { exposures: new IdSet(), interactions: new IdSet() };
  /** Of the batch at hand: which rows came before. */
  #repeated = new Uint8Array(1024);
  #flags = new Uint8Array(1024);
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
    part: Part,
    interactions: InteractionColumns,
    exposures: ExposureColumns,
    outcomes: Outcomes,
  ): void {
    this.#trained ||= part === 'train';
    this.#acceptInteractions(part, interactions, outcomes);
    this.#acceptExposures(part, exposures, outcomes);
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

  #acceptInteractions(part: Part, interactions: InteractionColumns, outcomes: Outcomes): void {
    const { length, ts, value, flags } = interactions;
    const repeats = this.#markRepeats('interactions', interactions, outcomes);
    const pane = part === 'train' ? TRAIN : EVENTS;
    const { positiveMinValue } = this.#options;
    for (let r = 0; r < length; r++) {
      this.#flags[r] = value[r] >= positiveMinValue ? flags[r] | POSITIVE : flags[r];
    }
    if (repeats === 0) this.#partition.addInteractions(pane, interactions, this.#flags);
    for (let r = 0; r < length; r++) {
      if (this.#repeated[r] === 1) continue;
      if (repeats > 0) this.#partition.addInteraction(pane, interactions, r, this.#flags[r]);
      if (pane === EVENTS) this.#widen(ts[r]);
    }
  }

  #acceptExposures(part: Part, exposures: ExposureColumns, outcomes: Outcomes): void {
    const { length, ts, model, flags } = exposures;
    const train = part === 'train';
    this.#markRepeats('exposures', exposures, outcomes);
    for (let r = 0; r < length; r++) {
      if (this.#repeated[r] === 1) continue;
      if (model[r] >= this.#options.maxModels) {
        outcomes.modelOverCap++;
        continue;
      }
      // A list of the train part may rank later interactions; as an exposure it is of the past.
      this.#partition.addExposure(EVENTS, exposures, r, train ? flags[r] & ~SHOWN : flags[r]);
      if (!train) this.#widen(ts[r]);
    }
  }

  #markRepeats(
    role: 'exposures' | 'interactions',
    { idHigh, idLow, length }: InteractionColumns | ExposureColumns,
    outcomes: Outcomes,
  ): number {
    if (length > this.#repeated.length) {
      this.#repeated = new Uint8Array(2 * length);
      this.#flags = new Uint8Array(2 * length);
    }
    const repeats = this.#seen[role].addAll(idHigh, idLow, length, this.#repeated);
    outcomes.duplicate += repeats;
    outcomes.accepted += length - repeats;
    return repeats;
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
