import type { StateWords } from '../rows/findings/state.js';
import { DRIFT_STATE_WORDS } from './drift/alarm-states.js';

/** Texts for the service states that only features report. */
export const FEATURE_STATE_WORDS = { ...DRIFT_STATE_WORDS } as {
  readonly [Code in 'alarm' | 'learning']: StateWords<Code>;
};
