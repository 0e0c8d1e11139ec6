import { DRIFT_ACROSS } from './drift/across.js';
import { VERDICTS_ACROSS } from './verdicts/across.js';
import type { AcrossTicks } from './work.js';

/** In the order in which they see a snapshot: verdicts read alarms. */
export const ACROSS: readonly AcrossTicks[] = [DRIFT_ACROSS, VERDICTS_ACROSS];
