import { metricName } from '../../rows/words.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import type { ValueOptions } from '../values/value-options.js';
import type { PairVerdict } from '../verdict.js';
import { DecisionMonitor } from './decision-monitor.js';
import type { DecisionOptions } from './decision-options.js';
import type { DecisionSources } from './decision-sources.js';
import { type LiveOptions, LiveTest, testWithoutUsers } from './live-test.js';
import { VALUE_MEASURE } from './value-measure.js';

/**
 * Verdicts on pairs of models from three sources: the metric, reward per request of randomised
 * arms, and a live A/B test by user. For each pair, a later source in this order takes precedence.
 */
export class Decisions {
  readonly #byGain: DecisionMonitor;
  /** Undefined if reward per request is not computed. */
  readonly #byValue: DecisionMonitor | undefined;
  readonly #byTest: LiveTest | undefined;

  /** @param room maximum number of models. */
  constructor(options: DecisionOptions, room: number, value: ValueOptions | undefined) {
    this.#byGain = new DecisionMonitor(options, room);
    this.#byValue = value && new DecisionMonitor(options, room, VALUE_MEASURE);
    this.#byTest = value && new LiveTest(liveOptions(options, value));
  }

  /** State as text for `restore`, to be taken between two ticks. */
  stored(): string {
    const byValue = this.#byValue?.stored() ?? null;
    return JSON.stringify([this.#byGain.stored(), byValue, this.#byTest?.stored() ?? null]);
  }

  restore(stored: string): void {
    const [byGain, byValue, byTest] = JSON.parse(stored) as [string, string | null, string?];
    this.#byGain.restore(byGain);
    if (byValue !== null) {
      this.#byValue?.restore(byValue);
    }
    if (byTest) {
      this.#byTest?.restore(byTest);
    }
  }

  observe(snapshot: Snapshot, sources: DecisionSources): Snapshot {
    const judged = this.#byGain.observe(snapshot, sources);
    if (this.#byValue === undefined) return judged;
    const { verdicts: byValue = [] } = this.#byValue.observe(snapshot, sources);
    const verdicts = (judged.verdicts ?? []).map((verdict) => {
      // If both models were served at random, only that comparison decides, even while it has no
      // result.
      const own = byValue.find(
        (other) => Number.isFinite(other.value) && isSamePair(other, verdict),
      );
      return own === undefined ? verdict : withOpposite(own, verdict);
    });
    return this.#withTest(
      {
        ...judged,
        verdicts,
      },
      sources,
    );
  }

  /** Replace the verdict on a pair by that of a test by user. */
  #withTest(snapshot: Snapshot, { test, tickMs, modelMarks }: DecisionSources): Snapshot {
    if (this.#byTest === undefined) return snapshot;
    const { paneEnd, alarms, models } = snapshot;
    const { answer, verdicts: found } = this.#byTest.observe({
      ...test,
      end: paneEnd,
      tickMs,
      marks: modelMarks,
      alarmed: alarms
        .filter(({ at, suppressed }) => at === paneEnd && suppressed === null)
        .filter(({ series }) => !series.endsWith('/interactions'))
        .flatMap((alarm) => alarm.models),
    });
    const isHere = (own: PairVerdict) =>
      [own.model, own.reference].every((name) => models.includes(name));
    const byTest = found.filter(isHere);
    const isJudged = (verdict: PairVerdict) =>
      byTest.some(
        ({ model, reference }) =>
          [verdict.model, verdict.reference].sort().join() === [model, reference].sort().join(),
      );
    const others = (snapshot.verdicts ?? []).filter((verdict) => !isJudged(verdict));
    return {
      ...snapshot,
      verdicts: [...byTest, ...others],
      ...(answer && { experiment: answer }),
    };
  }
}

/** Remove the users with these keys from a stored state; the sums keep their rewards. */
export function withoutUsers(stored: string, keys: readonly number[]): string {
  const [byGain, byValue, byTest] = JSON.parse(stored) as [string, string | null, string | null];
  return JSON.stringify([byGain, byValue, byTest && testWithoutUsers(byTest, keys)]);
}

/** Options of the live test. */
function liveOptions(
  { dayMs, lookMs, margin, settings }: DecisionOptions,
  { control, test }: ValueOptions,
): LiveOptions {
  return {
    dayMs,
    lookMs,
    margin,
    settings,
    ...(control !== undefined && { control }),
    ...(test?.split && { split: test.split }),
    ...(test?.earning && { earning: test.earning }),
    hasOtherClicks: test?.hasOtherClicks ?? false,
  };
}

/** Record in a verdict by reward that the metric significantly favours the other model. */
function withOpposite(byValue: PairVerdict, byGain: PairVerdict): PairVerdict {
  const isOpposite =
    byGain.better !== null && byValue.better !== null && byGain.better !== byValue.better;
  return isOpposite
    ? {
        ...byValue,
        saysOpposite: true,
        against: metricName(byGain),
      }
    : byValue;
}

function isSamePair(a: PairVerdict, b: PairVerdict): boolean {
  return a.model === b.model && a.reference === b.reference;
}
