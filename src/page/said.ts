import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { ANSWER_WORDS } from '../rows/findings/reasons.js';
import { heldBack } from '../rows/findings/state.js';
import { clockWithSeconds } from '../rows/times.js';
import { capital } from '../rows/words.js';
import type { ShownState } from './shown-states.js';

export type Reason = LiveTick['window']['trust']['reasons'][number];

/** A verdict in the form shown. */
export interface Verdict {
  /** `good`: it can be acted on; `care`: read the cautions first. */
  readonly tone: LiveTick['opening']['tone'];
  /** Why it is not current; it remains visible. */
  readonly held: string | undefined;
}

/** Whether the verdict is current; if it is not, the status line says why. */
export function verdictOf(
  { opening, paneEnd }: Pick<LiveTick, 'opening' | 'paneEnd'>,
  states: readonly ShownState[],
): Verdict {
  const held = heldBack(states);
  if (held === undefined) {
    return {
      tone: opening.tone,
      held: undefined,
    };
  }
  const { label } = held;
  const shown = `Last updated ${clockWithSeconds(paneEnd)} UTC; ${label.toLowerCase()}.`;
  return {
    tone: 'unknown',
    held: shown,
  };
}

const SAID_ABOVE = 'See the status line above for the reason.';

/** Whether the numbers can be trusted, as the service says and as far as its state allows. */
export function trustOf({ window }: Pick<LiveTick, 'window'>, states: readonly ShownState[]) {
  const { answer, reasons } = window.trust;
  const held = heldBack(states);
  // Those of estimates beside a verdict on what was earned say nothing of it.
  const aside = reasons.findIndex(({ code }) => code === 'estimates_beside');
  const own = aside < 0 ? reasons : reasons.slice(0, aside);
  const isClear = answer === 'yes' && own.every(({ severity }) => severity !== 'caution');
  const tone = answer === 'no' ? 'bad' : isClear ? 'good' : 'care';
  // Those of one kind, as of many models, stand together.
  const kinds = [...new Set(reasons.map(({ code }) => code))].map((code) =>
    reasons.filter((reason) => reason.code === code),
  );
  return held === undefined
    ? {
        tone,
        word: ANSWER_WORDS[answer],
        held: [],
        kinds,
      }
    : {
        tone: 'bad',
        word: ANSWER_WORDS.no,
        held: [SAID_ABOVE],
        kinds,
      };
}

export function reasonText({ text, subject: { models = [] } }: Reason): string {
  // A name stays as it is.
  return models.length > 0 && text.startsWith(models[0]!) ? text : capital(text);
}
