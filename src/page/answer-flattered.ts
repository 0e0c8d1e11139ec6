import { UNCORRECTED } from '../estimators/names.js';
import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { decimal, signedPercent } from '../rows/figures.js';
import { heldBack } from '../rows/findings/held-back.js';
import { type Compared, comparedModels } from '../rows/findings/rankings.js';
import { isTooFew } from '../rows/findings/sample.js';
import type { Sentence } from '../rows/findings/sentence.js';
import { listed, metricName } from '../rows/words.js';
import type { Answer } from './answer.js';
import { heldText } from './held-text.js';
import type { ShownState } from './shown-states.js';

/** Which model looks better than it is? The one that loses the largest share first. */
export function flatteredAnswer(
  tick: LiveTick,
  estimator: string,
  states: readonly ShownState[],
): Answer {
  if (estimator === UNCORRECTED) {
    const sentence = [`Choose an estimator other than ${UNCORRECTED} to compare it with.`];
    return { tone: 'unknown', word: 'Nothing to compare', sentence };
  }
  const compared = comparedModels(tick.window.estimates, tick.models, estimator);
  if (compared.length === 0) {
    const sentence = [whyNoEstimate(tick)];
    return { tone: 'unknown', word: 'Nothing to compare', sentence };
  }
  const order = orderSentence(compared);
  const [worst, ...others] = compared
    .filter(({ looksBetter }) => looksBetter)
    .sort((a, b) => b.share - a.share);
  if (worst === undefined) {
    const none = `No uncorrected value lies above the 95 % interval of ${estimator}. `;
    const held = heldBack(states, 'numbers');
    if (held !== undefined) {
      return { tone: 'unknown', word: held.word, sentence: [heldText(held.state)] };
    }
    if (isOfFew(tick, estimator)) {
      const few = `There are too few users to tell by ${estimator}. `;
      return { tone: 'unknown', word: 'Too early to say', sentence: [few, ...order] };
    }
    return { tone: 'good', word: 'None', sentence: [none, ...order] };
  }
  const change = signedPercent(-worst.share);
  const sentence: Sentence = [
    `Corrected for popularity, its ${metricName(tick.chosen)} drops from ${decimal(worst.uncorrected, 3)} to `,
    { strong: decimal(worst.value, 3) },
    ` (${change}). `,
    ...alsoSentence(others),
    ...order,
  ];
  return { tone: 'care', word: worst.model, sentence };
}

/** With few users intervals are so wide that nothing lies above them. */
function isOfFew({ window: { estimates } }: LiveTick, estimator: string): boolean {
  return estimates.some((row) => row.estimator === estimator && isTooFew(row.ess));
}

/** What to say where no model has a value. */
export function whyNoEstimate({ window }: LiveTick): string {
  if (!window.estimates.some(({ withheld }) => (withheld ?? null) !== null)) {
    return 'No model has an estimate of this metric in this window.';
  }
  const leading = LEADS_INSTEAD[window.leads ?? 'estimates'];
  return `The estimates of this metric are withheld: shown lists caused too much of it.${leading}`;
}

const LEADS_INSTEAD = {
  estimates: '',
  values: ' What lists are worth by requests leads instead.',
  uncaused: ' What users found by themselves leads instead.',
  on_policy: ' What shown lists are worth leads instead.',
} as const;

function alsoSentence(others: readonly Compared[]): Sentence {
  if (others.length === 0) return [];
  if (others.length > 2) return [`${others.length} others look better than they are, too. `];
  const names = others.map(({ model }) => ({ name: model }));
  const are = others.length === 1 ? 's better than it is' : ' better than they are';
  return [...listed(names), ` look${are}, too. `];
}

/** Whether the correction changes which model is best. */
function orderSentence(compared: readonly Compared[]): Sentence {
  if (compared.length < 2) return [];
  const best = (value: (own: Compared) => number) =>
    [...compared].sort((a, b) => value(b) - value(a))[0].model;
  const uncorrected = best((row) => row.uncorrected);
  const corrected = best(({ value }) => value);
  if (uncorrected === corrected) return [{ name: corrected }, ' wins, corrected or not.'];
  return [
    'Uncorrected, ',
    { name: uncorrected },
    ' wins; corrected, ',
    { name: corrected },
    ' wins.',
  ];
}
