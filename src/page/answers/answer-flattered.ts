import type { LiveTick } from '../../adapters/http/schema/live-tick.js';
import { fixed, isKnown, metricName, percent } from '../format.js';
import { type Answer, named, type Sentence } from './answer.js';

interface Gap {
  readonly model: string;
  readonly naive: number;
  readonly value: number;
  readonly isClear: boolean;
}

/**
 * Which model looks better than it is? Those whose naive value lies above the interval of the
 * debiased one, the largest share first.
 */
export function flatteredAnswer(tick: LiveTick, estimator: string): Answer {
  const gaps = gapsOf(tick, estimator);
  if (estimator === 'naive') {
    const sentence = ['Choose an estimator other than naive to compare it with.'];
    return { tone: 'unknown', word: 'Nothing to compare', sentence };
  }
  if (gaps.length === 0) {
    const sentence = ['No model has an estimate of this metric in this window.'];
    return { tone: 'unknown', word: 'Nothing to compare', sentence };
  }
  const flattered = gaps.filter(({ isClear }) => isClear).sort((a, b) => shrink(b) - shrink(a));
  const order = orderSentence(gaps, estimator);
  if (flattered.length === 0) {
    const sentence = [`No naive value lies above the 95 % interval of ${estimator}. `, ...order];
    return { tone: 'good', word: 'None', sentence };
  }
  const [worst] = flattered;
  const metric = metricName(tick.chosen.metric, tick.chosen.k);
  const sentence: Sentence = [
    `Its ${metric} of ${fixed(worst.naive, 3)} is `,
    { strong: fixed(worst.value, 3) },
    ` by ${estimator}: ${percent(shrink(worst))} of it is popularity. `,
    ...alsoSentence(flattered.slice(1).map(({ model }) => model)),
    ...order,
  ];
  return { tone: 'care', word: worst.model, sentence };
}

export function gapsOf({ window, models }: LiveTick, estimator: string): Gap[] {
  return models.flatMap((model) => {
    const of = (name: string) =>
      window.estimates.find((row) => row.model === model && row.estimator === name);
    const naive = of('naive')?.value;
    const debiased = of(estimator);
    if (!isKnown(naive) || !isKnown(debiased?.value)) return [];
    const isClear = isKnown(debiased.upper) && naive > debiased.upper;
    return [{ model, naive, value: debiased.value, isClear }];
  });
}

function shrink({ naive, value }: Gap): number {
  return naive > 0 ? (naive - value) / naive : 0;
}

function alsoSentence(models: readonly string[]): Sentence {
  if (models.length === 0) return [];
  if (models.length > 2) return [`${models.length} others look too good as well. `];
  return [...named(models), ` look${models.length === 1 ? 's' : ''} too good as well. `];
}

/** Whether the correction changes who is best. */
function orderSentence(gaps: readonly Gap[], estimator: string): Sentence {
  if (gaps.length < 2) return [];
  const best = (value: (gap: Gap) => number) =>
    [...gaps].sort((a, b) => value(b) - value(a))[0].model;
  const naive = best((gap) => gap.naive);
  const debiased = best((gap) => gap.value);
  if (naive === debiased) return [{ strong: debiased }, ' leads either way.'];
  return ['Naive puts ', { strong: naive }, ` first, ${estimator} `, { strong: debiased }, '.'];
}
