import type { LiveTick } from '../outputs/http/schema/live-tick.js';
import { ANSWER_WORDS } from '../rows/findings/reasons.js';
import { heldBack } from '../rows/findings/state.js';
import { clockWithSeconds } from '../rows/times.js';
import { capital } from '../rows/words.js';
import type { ShownState } from './shown-states.js';

export type Reason = LiveTick['window']['trust']['reasons'][number];

/** How the verdict is shown. */
export interface Verdict {
  /**
   * Tone of the verdict. `good`: the verdict can be acted on; `care`: read the cautions first;
   * `unknown`: there is no verdict, or it is not current.
   */
  readonly tone: LiveTick['opening']['tone'];
  /** Why the verdict is not current, to be shown next to it; undefined if it is current. */
  readonly held: string | undefined;
}

/**
 * Determine the tone of the verdict, and whether it is current. It is not current while a state
 * makes numbers unreliable.
 */
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

/**
 * Determine how the trust in the numbers is shown: as the service's answer with its reasons, or as
 * `no` while a state makes numbers unreliable.
 */
export function trustOf({ window }: Pick<LiveTick, 'window'>, states: readonly ShownState[]) {
  const { answer, reasons } = window.trust;
  const held = heldBack(states);
  // If the verdict is on the reward, reasons about the estimates do not affect it.
  const aside = reasons.findIndex(({ code }) => code === 'estimates_beside');
  const own = aside < 0 ? reasons : reasons.slice(0, aside);
  const isClear = answer === 'yes' && own.every(({ severity }) => severity !== 'caution');
  const tone = answer === 'no' ? 'bad' : isClear ? 'good' : 'care';
  // Group reasons of the same kind, such as one per model.
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
  // If the text starts with a name, its first letter is not capitalised.
  return models.length > 0 && text.startsWith(models[0]!) ? text : capital(text);
}
