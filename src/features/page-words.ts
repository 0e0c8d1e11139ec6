import type { StateWords } from '../rows/findings/state.js';
import { DRIFT_STATE_WORDS } from './drift/alarm-states.js';

/** The words for states of a service that features alone find: without them no state needs these. */
export const FEATURE_STATE_WORDS = { ...DRIFT_STATE_WORDS } as {
  readonly [Code in 'alarm' | 'learning']: StateWords<Code>;
};
