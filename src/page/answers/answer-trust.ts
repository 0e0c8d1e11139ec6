import type { LiveTick } from '../../adapters/http/schema/live-tick.js';
import { capital } from '../../figures/words.js';
import { STREAM_CUT } from '../../findings/reading.js';
import { ANSWER_WORDS } from '../../findings/trust/reasons.js';
import { textOf } from '../../findings/words.js';
import type { Answer } from './answer.js';

/** Can I trust these numbers? As the service answers it; of a stream that is cut nothing is known. */
export function trustAnswer({ window: { trust } }: LiveTick, isConnected: boolean): Answer {
  const reasons = trust.reasons.map(({ text, subject: { models = [] } }) =>
    // A name stays as it is.
    models.length > 0 && text.startsWith(models[0]) ? text : capital(text),
  );
  if (!isConnected) return answerOf('no', [textOf(STREAM_CUT), ...reasons], 'bad');
  const isClear = trust.reasons.every(({ severity }) => severity !== 'caution');
  if (trust.answer === 'yes') return answerOf('yes', reasons, isClear ? 'good' : 'care');
  return answerOf(trust.answer, reasons, trust.answer === 'no' ? 'bad' : 'care');
}

function answerOf(
  answer: LiveTick['window']['trust']['answer'],
  reasons: readonly string[],
  tone: Answer['tone'],
): Answer {
  return { tone, word: ANSWER_WORDS[answer], sentence: [reasons.join(' ')] };
}
