import type { StateWords } from '../rows/findings/state.js';
import { DRIFT_STATE_WORDS } from './drift/alarm-states.js';

/** Texts of the status lines that only features report. */
export const FEATURE_STATE_WORDS = { ...DRIFT_STATE_WORDS } as {
  readonly [Code in 'alarm' | 'learning']: StateWords<Code>;
};
