import type { Snapshot } from '../stream/snapshot.js';
import { alarmLines } from './drift/lines.js';

/** What features say of a tick, as lines for people. */
export const TICK_LINES: readonly ((snapshot: Snapshot) => readonly string[])[] = [alarmLines];
