import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { heldBack } from '../rows/findings/held-back.js';
import { ANSWER_WORDS } from '../rows/findings/reasons.js';
import { capital } from '../rows/words.js';
import type { Answer } from './answer.js';
import { heldText } from './held-text.js';
import type { ShownState } from './shown-states.js';

/** More are a line to be opened. */
const MOST_REASONS = 3;

/** Can I trust these numbers? As the service answers it, as far as its state allows. */
export function trustAnswer(
  { window: { trust } }: LiveTick,
  states: readonly ShownState[],
): Answer {
  const reasons = trust.reasons.map(({ text, subject: { models = [] } }) =>
    // A name stays as it is.
    models.length > 0 && text.startsWith(models[0]) ? text : capital(text),
  );
  const held = heldBack(states, 'numbers');
  if (held !== undefined) {
    const word = held.state.code === 'alarm' ? held.word : ANSWER_WORDS.no;
    return { tone: 'bad', word, ...explained([heldText(held.state), ...reasons]) };
  }
  const isClear = trust.reasons.every(({ severity }) => severity !== 'caution');
  const care = trust.answer === 'no' ? 'bad' : 'care';
  const tone = trust.answer === 'yes' && isClear ? 'good' : care;
  return { tone, word: ANSWER_WORDS[trust.answer], ...explained(reasons) };
}

/** Many models have many reasons; the weightiest come first. */
function explained(reasons: readonly string[]): Pick<Answer, 'sentence' | 'more'> {
  const more = reasons.slice(MOST_REASONS);
  const sentence = [reasons.slice(0, MOST_REASONS).join(' ')];
  return more.length === 0 ? { sentence } : { sentence, more };
}
