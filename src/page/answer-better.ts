import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { isKnown } from '../rows/figures.js';
import type { Finding } from '../rows/findings/finding.js';
import { heldBack } from '../rows/findings/held-back.js';
import { sentenceOf } from '../rows/findings/words.js';
import type { Answer } from './answer.js';
import { heldText } from './held-text.js';
import type { ShownState } from './shown-states.js';

const WORDS: Partial<Record<Finding['code'], string>> = {
  verdict_changed: 'It changed',
  verdict_flips: 'It depends',
  verdict_immaterial: 'None that matters',
  verdict_same: 'None',
};

/** Which model is better? The verdict that can be acted on first, then the others. */
export function betterAnswer(
  { verdict = [] }: Pick<LiveTick, 'verdict'>,
  states: readonly ShownState[],
): Answer {
  const [first] = verdict;
  if (first === undefined) {
    // Before the first look there is no pair; without decision.metric there never is.
    const sentence = [
      'The first verdict comes once two models have sent lists for a day, unless decision.metric is none. Until then, an interval below holds for one look.',
    ];
    return { tone: 'unknown', word: 'No verdict yet', sentence };
  }
  const sentence = verdict.flatMap((each, n) => [n === 0 ? '' : ' ', ...sentenceOf(known(each))]);
  if (first.code === 'verdict_prefer') {
    const held = heldBack(states, 'numbers');
    if (held !== undefined) {
      return {
        tone: 'unknown',
        word: held.word,
        sentence: [`${heldText(held.state)} `, ...sentence],
      };
    }
    const [model = '', against = ''] = first.subject.models ?? [];
    return { tone: 'good', word: model, sentence, why: { model, against } };
  }
  const word = WORDS[first.code as Finding['code']];
  if (word === undefined) {
    return { tone: 'unknown', word: 'Don’t know yet', sentence };
  }
  return { tone: first.severity === 'caution' ? 'care' : 'unknown', word, sentence };
}

/** JSON has no NaN: what is not known of its figures is null. */
function known(finding: NonNullable<LiveTick['verdict']>[number]): Finding {
  const figures = Object.entries(finding.figures).map(([name, value]) => [
    name,
    isKnown(value) ? value : Number.NaN,
  ]);
  return { ...finding, figures: Object.fromEntries(figures) } as Finding;
}
