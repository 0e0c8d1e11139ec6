import type { ShownState } from './shown-states.js';

/** Why nothing good is said: as the strip has it, but an alarm, which is long, is not said again. */
export function heldText({ code, text }: Pick<ShownState, 'code' | 'text'>): string {
  return code === 'alarm' ? 'What the alarm above is about may move this too.' : text;
}
