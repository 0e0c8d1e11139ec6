import { metricName } from '../../rows/words.js';
import type { Snapshot } from '../../stream/snapshot.js';
import type { PairVerdict } from '../verdict.js';
import { DecisionMonitor } from './decision-monitor.js';
import type { DecisionOptions } from './decision-options.js';
import type { DecisionSources } from './decision-sources.js';
import { VALUE_MEASURE } from './value-measure.js';

/** Verdicts by the metric, and for arms by what their lists are worth: where that is known, it counts. */
export class Decisions {
  readonly #byGain: DecisionMonitor;
  /** Undefined where lists are not valued by requests. */
  readonly #byValue: DecisionMonitor | undefined;

  /** @param room models that are evaluated at most. */
  constructor(options: DecisionOptions, room: number, isValued: boolean) {
    this.#byGain = new DecisionMonitor(options, room);
    this.#byValue = isValued ? new DecisionMonitor(options, room, VALUE_MEASURE) : undefined;
  }

  /** What `restore` takes; to be asked for between two ticks. */
  stored(): string {
    return JSON.stringify([this.#byGain.stored(), this.#byValue?.stored() ?? null]);
  }

  restore(stored: string): void {
    const [byGain, byValue] = JSON.parse(stored) as [string, string | null];
    this.#byGain.restore(byGain);
    if (byValue !== null) this.#byValue?.restore(byValue);
  }

  *observe(snapshot: Snapshot, sources: DecisionSources): Generator<void, Snapshot> {
    const judged = yield* this.#byGain.observe(snapshot, sources);
    if (this.#byValue === undefined) return judged;
    const { verdicts: byValue = [] } = yield* this.#byValue.observe(snapshot, sources);
    const verdicts = (judged.verdicts ?? []).map((verdict) => {
      // What both served by chance decides, and nothing in place of it while that is not known.
      const own = byValue.find(
        (other) => Number.isFinite(other.value) && isSamePair(other, verdict),
      );
      return own === undefined ? verdict : withOpposite(own, verdict);
    });
    return { ...judged, verdicts };
  }
}

/** With what the metric says, if it is clear and says the opposite. */
function withOpposite(byValue: PairVerdict, byGain: PairVerdict): PairVerdict {
  const isOpposite =
    byGain.better !== null && byValue.better !== null && byGain.better !== byValue.better;
  return isOpposite ? { ...byValue, saysOpposite: true, against: metricName(byGain) } : byValue;
}

function isSamePair(a: PairVerdict, b: PairVerdict): boolean {
  return a.model === b.model && a.reference === b.reference;
}
