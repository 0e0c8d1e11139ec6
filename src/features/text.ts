import type { Snapshot } from '../stream/tick/snapshot.js';
import { alarmLines } from './drift/lines.js';
import type { FeatureQuestion } from './output.js';
import { WHY_QUESTION } from './why/window-gaps.js';

/** Functions that write lines of text about a tick for the terminal. */
export const TICK_LINES: readonly ((snapshot: Snapshot) => readonly string[])[] = [alarmLines];

/** Questions that `evaluate` can answer in addition to its estimates. */
export const QUESTIONS: readonly FeatureQuestion[] = [WHY_QUESTION as FeatureQuestion];
