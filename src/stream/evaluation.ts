import { type ExposureColumns, type InteractionColumns, SHOWN } from '../events/columns.js';
import { IdSet } from '../events/id-set.js';
import { OpenPane, POSITIVE } from '../state/open-pane.js';
import { EvaluatedParts } from './evaluated-parts.js';
import { GammaChoice } from './gamma-choice.js';
import { GatheredEvents } from './gathered-events.js';
import type { MonitorOptions } from './options.js';
import type { Outcomes } from './outcomes.js';
import { type Ids, namedModels } from './pane-tick.js';
import { runAtOnce } from './sliced.js';
import type { Snapshot } from './snapshot.js';
import { tick } from './tick.js';

const FOR_EVER = Number.POSITIVE_INFINITY;

type Part = 'train' | 'events';

/** Of a stream's options, those that do not concern time. */
export type EvaluationOptions = Pick<
  MonitorOptions,
  'attributionTtlMs' | 'positiveMinValue' | 'catalogueSize' | 'maxModels' | 'baseline' | 'estimates'
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
  readonly #trained = new OpenPane();
  /** The lists of the train part are among them. */
  readonly #gathered: GatheredEvents;
  /** What has been made of the events so far. */
  #parts: EvaluatedParts | undefined;
  readonly #seen = { exposures: new IdSet(), interactions: new IdSet() };
  /** Of the batch at hand: which rows came before. */
  #repeated = new Uint8Array(1024);
  #flags = new Uint8Array(1024);
  #from = Number.POSITIVE_INFINITY;
  #to = Number.NEGATIVE_INFINITY;
  #isTrained = false;

  /** @param segmentRows interactions that are attributed together while events come in order. */
  constructor(options: EvaluationOptions, ids: Ids, segmentRows?: number) {
    this.#options = options;
    this.#ids = ids;
    this.#gathered = new GatheredEvents(segmentRows);
  }

  /** Adds events in any order; those of the train part come before the evaluated ones. */
  accept(
    part: Part,
    interactions: InteractionColumns,
    exposures: ExposureColumns,
    outcomes: Outcomes,
  ): void {
    this.#isTrained ||= part === 'train';
    this.#acceptInteractions(part, interactions, outcomes);
    this.#acceptExposures(part, exposures, outcomes);
    if (part === 'train') return;
    const segment = this.#gathered.takeSegment();
    if (segment !== undefined) runAtOnce(this.#take(segment));
  }

  /** Evaluates; to be called once, after the last event. */
  *result(): Generator<void, Snapshot> {
    const options = this.#options;
    if (!this.#gathered.isInOrder) this.#parts = undefined;
    const { partition, known, observed, userCounts, pane } = yield* this.#take(
      this.#gathered.takeRest(),
    );
    const size = this.#ids.items.size;
    const lagged = new Float64Array(size);
    if (this.#isTrained) lagged.set(known.popularity().counts.subarray(0, size));
    const [from, to] = this.#to < this.#from ? [0, 0] : [this.#from, this.#to + 1];
    return yield* tick({
      paneEnd: to,
      windows: [{ name: 'all', ms: FOR_EVER, from, to, firstPane: pane, lastPane: pane }],
      partitions: [
        {
          closed: partition.closed,
          userCounts,
          users: this.#ids.users?.(0),
          reach: (first, last, items) => partition.reach(first, last, items),
        },
      ],
      known,
      observed,
      lagged,
      items: this.#ids.items,
      models: namedModels(partition.models(), this.#ids.models),
      catalogueSize: options.catalogueSize ?? known.catalogueSize,
      baseline: options.baseline,
      // Nothing is let go of before the end.
      attributionTtlMs: FOR_EVER,
      gamma: new GammaChoice(options.gamma.use, options.gamma.default, options.gamma.fit),
      gammaPeriodMs: FOR_EVER,
      estimates: options.estimates,
    });
  }

  /** Makes of events what they come to. */
  *#take(events: OpenPane): Generator<void, EvaluatedParts> {
    if (this.#parts === undefined) {
      this.#parts = new EvaluatedParts(this.#options, this.#isTrained);
      if (this.#isTrained) yield* this.#parts.train(this.#trained);
    }
    yield* this.#parts.add(events);
    return this.#parts;
  }

  #acceptInteractions(part: Part, columns: InteractionColumns, outcomes: Outcomes): void {
    const { length, ts, value, flags } = columns;
    const repeats = this.#markRepeats('interactions', columns, outcomes);
    const { positiveMinValue } = this.#options;
    for (let r = 0; r < length; r++) {
      this.#flags[r] = value[r] >= positiveMinValue ? flags[r] | POSITIVE : flags[r];
    }
    const { interactions } = part === 'train' ? this.#trained : this.#gathered.current;
    if (repeats === 0) interactions.addAll(columns, this.#flags);
    for (let r = 0; r < length; r++) {
      if (this.#repeated[r] === 1) continue;
      if (repeats > 0) interactions.add(columns, r, this.#flags[r]);
      if (part === 'events') this.#widen(ts[r]);
    }
  }

  #acceptExposures(part: Part, columns: ExposureColumns, outcomes: Outcomes): void {
    const { length, ts, model, flags } = columns;
    const repeats = this.#markRepeats('exposures', columns, outcomes);
    // A list of the train part may rank later interactions; as an exposure it is of the past.
    const mask = part === 'train' ? ~SHOWN : ~0;
    let left = repeats;
    for (let r = 0; r < length; r++) {
      this.#flags[r] = flags[r] & mask;
      if (this.#repeated[r] === 1) continue;
      if (model[r] >= this.#options.maxModels) {
        this.#repeated[r] = 1;
        left++;
        outcomes.modelOverCap++;
      } else if (part === 'events') {
        this.#widen(ts[r]);
      }
    }
    const { exposures } = this.#gathered.current;
    if (left === 0) {
      exposures.append(columns, 0, this.#flags);
      return;
    }
    for (let r = 0; r < length; r++) {
      if (this.#repeated[r] === 0) exposures.add(columns, r, this.#flags[r]);
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
}
