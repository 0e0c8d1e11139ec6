import { type Static, Type } from 'typebox';
import { type Memory, Num } from '../../rows/row.js';

/**
 * The propensity's exponent as randomised traffic shows it, compared with the one that is used:
 * `used` is (γ + 1) / 2. Without an answer, where counts are too small, its numbers are unknown. Each
 * standard error of the deviation is as long as it has to be where few items carry the error. `organic`
 * are the positives of the items, `randomized` the randomised ones of these items.
 */
export const ExponentTest = Type.Object({
  beta: Num(),
  stdErr: Num(),
  lower: Num(),
  upper: Num(),
  used: Type.Number(),
  deviation: Num('Standard errors between β and the one that is used'),
  items: Type.Number(),
  organic: Type.Number(),
  randomized: Type.Number(),
});
export type ExponentTest = Memory<Static<typeof ExponentTest>>;
