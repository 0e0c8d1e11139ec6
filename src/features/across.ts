import { DRIFT_ACROSS } from './drift/across.js';
import { VERDICTS_ACROSS } from './verdicts/across.js';
import type { AcrossTicks } from './work.js';

/**
 * Features that learn from tick to tick, in the order in which they run: verdicts use the alarms of
 * drift.
 */
export const ACROSS: readonly AcrossTicks[] = [DRIFT_ACROSS, VERDICTS_ACROSS];
