import { describe, it, type TestContext } from 'vitest';
import { IS_LONG } from './repetitions.js';

const nothing = () => {};

/**
 * A test, or several, of the nightly form alone: what waits out time-outs, starts clusters, or
 * shows once more by another way what a test of `npm test` shows. In `npm test` it is not there,
 * so it counts neither as passed nor as skipped.
 */
export const itAtNight: (
  name: string,
  test: (context: TestContext) => Promise<void> | void,
  timeoutMs?: number,
) => void = IS_LONG ? it : nothing;
export const describeAtNight: (name: string, tests: () => void) => void = IS_LONG
  ? describe
  : nothing;
