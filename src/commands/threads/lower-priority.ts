import { constants, getPriority, setPriority } from 'node:os';

const { PRIORITY_BELOW_NORMAL } = constants.priority;

/**
 * Lets this thread wait where the processors do not suffice for all, so that those that read and
 * serve do not. Only Linux gives threads priorities of their own; elsewhere it would be the process's.
 */
export function lowerPriority(): void {
  if (process.platform !== 'linux' || getPriority(0) >= PRIORITY_BELOW_NORMAL) return;
  setPriority(0, PRIORITY_BELOW_NORMAL);
}
