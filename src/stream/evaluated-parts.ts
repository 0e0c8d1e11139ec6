import type { OpenPane } from '../state/open-pane.js';
import { PartitionState } from '../state/partition.js';
import { Popularity } from '../state/popularity.js';
import type { PopularityShare } from '../state/popularity-share.js';

/** Two panes by number, not by time: what is known, and what is evaluated. Before all time, so that
 * closing them lets go of no list. */
const TRAIN = Number.MIN_SAFE_INTEGER;
const EVENTS = TRAIN + 1;
const FOR_EVER = Number.POSITIVE_INFINITY;

export interface EvaluatedPartsOptions {
  readonly attributionTtlMs: number;
  readonly popularity: { readonly of: 'positive' | 'all' };
}

/** The state that an evaluation's events leave, taken in by parts in order of event time. */
export class EvaluatedParts {
  readonly partition: PartitionState;
  /** What popularity and posteriors are taken from: the train part, where there is one. */
  readonly known: Popularity;
  /** What exposures are taken from, and the averages of the evaluated part. */
  readonly observed: Popularity;
  /** The pane of the evaluated rows. */
  readonly pane = EVENTS;
  readonly #knownShare: PopularityShare;
  readonly #observedShare: PopularityShare;
  #trainedCounts: Int32Array | undefined;

  /** @param isTrained whether there is a train part. */
  constructor(options: EvaluatedPartsOptions, isTrained: boolean) {
    this.partition = new PartitionState({
      paneMs: 1,
      attributionTtlMs: options.attributionTtlMs,
      horizonMs: FOR_EVER,
    });
    this.observed = popularity(options);
    this.#observedShare = this.observed.share();
    this.known = isTrained ? popularity(options) : this.observed;
    this.#knownShare = isTrained ? this.known.share() : this.#observedShare;
  }

  /** Interactions per user, of the train part where there is one. */
  get userCounts(): Int32Array {
    return this.#trainedCounts ?? this.partition.closed.userCounts.counts;
  }

  /** Takes in the interactions of the train part, before any event that is evaluated. */
  *train(interactions: OpenPane): Generator<void, void> {
    const { counts } = yield* this.partition.closeGathered(TRAIN, interactions);
    this.#knownShare.addInteractions(counts, TRAIN + 1);
    this.partition.closed.dropRowsBefore(EVENTS);
    this.#trainedCounts = this.partition.closed.userCounts.counts.slice();
  }

  /** Takes in events that are later than all before them. */
  *add(events: OpenPane): Generator<void, void> {
    const { counts } = yield* this.partition.closeGathered(EVENTS, events);
    this.#observedShare.addInteractions(counts, EVENTS + 1);
    this.#observedShare.addExposures(counts, EVENTS + 1);
    if (this.known !== this.observed) this.#knownShare.addCatalogue(counts);
  }
}

function popularity({ popularity: { of } }: EvaluatedPartsOptions): Popularity {
  return new Popularity({
    paneMs: 1,
    horizonMs: FOR_EVER,
    gammaPeriodMs: FOR_EVER,
    windowsMs: [FOR_EVER],
    of,
  });
}
