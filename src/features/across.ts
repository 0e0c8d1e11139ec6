import { DRIFT_ACROSS } from './drift/across.js';
import { VERDICTS_ACROSS } from './verdicts/across.js';
import type { AcrossTicks } from './work.js';

/** Features with state from tick to tick, in order; verdicts use alarms. */
export const ACROSS: readonly AcrossTicks[] = [DRIFT_ACROSS, VERDICTS_ACROSS];
