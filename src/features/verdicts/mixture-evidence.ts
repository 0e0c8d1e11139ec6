import {
  normalTail,
  normalUpperQuantile,
  studentTQuantile,
  studentTTail,
} from '../../estimators/mathematics/distributions.js';
import type { PairedDifference } from './paired-difference.js';

/** All verdicts of an epoch together are false with at most this chance. */
export const ALPHA = 0.05;

/** Beyond it the tail of a t is below the least double. */
const FARTHEST_SCORE = 37;

type Estimated = Pick<PairedDifference, 'value' | 'stdErr' | 'ess' | 'groups'>;

/**
 * The logarithm of the evidence that a difference is not 0, however often one looks.
 *
 *   ln Λ = ½ ln(se² / (se² + φ²)) + D²φ² / (2 se² (se² + φ²))
 *
 * with φ the spread of the differences that are thought possible. Without a difference Λ ever reaches
 * 1/α with a chance of at most α. Source: Robbins 1970, *Statistical methods related to the law of the
 * iterated logarithm*; Waudby-Smith et al. 2021, *Time-uniform central limit theory* (asymptotic).
 *
 * @param score D / se. @param spread φ / se, above 0.
 * @returns ln Λ; −∞ nowhere.
 * @example
 * Math.exp(logEvidence(1.3887, 2)); // 0.9673
 */
export function logEvidence(score: number, spread: number): number {
  const square = spread * spread;
  return (score * score * square) / (2 * (1 + square)) - Math.log1p(square) / 2;
}

/**
 * The score at which the evidence is as strong as it has to be.
 *
 *   z = √((1 + se²/φ²) · (ln(1 + φ²/se²) + 2 ln(K/α)))
 *
 * @param spread φ / se, above 0. @param bar K / α, K the differences that are judged together.
 * @returns the least |D| / se with Λ ≥ K/α: half the width of the interval, in se.
 * @example
 * scoreNeeded(2, 20); // 3.08239
 */
export function scoreNeeded(spread: number, bar: number): number {
  const square = spread * spread;
  return Math.sqrt((1 + 1 / square) * (Math.log1p(square) + 2 * Math.log(bar)));
}

/**
 * D / se as a normal score: one with the tail that Student's t gives it, since se is known from few
 * users or groups only.
 *
 *   z = Φ⁻¹(T_ν(|D| / se)),   ν = min(ESS, G) − 1
 *
 * @returns 0 or more; NaN for fewer than two groups. @param difference of a pair.
 * @example
 * normalScore({ value: 2.2281388, stdErr: 1, ess: 11, groups: 64 }); // 1.959964
 */
export function normalScore({ value, stdErr, ess, groups }: Estimated): number {
  const score = Math.abs(value) / stdErr;
  const tail = studentTTail(score, freedom(ess, groups)) / 2;
  return tail > 0 ? normalUpperQuantile(tail) : FARTHEST_SCORE;
}

/**
 * Half the width of the interval that holds D at all looks together: what `normalScore` would have to
 * come to, taken back to a t.
 *
 * @param spread φ, in the unit of D. @param bar K / α. @returns h; NaN for fewer than two groups.
 * @example
 * anytimeHalfWidth({ value: 0, stdErr: 0.01, ess: 1e9, groups: 1e9 }, 0.02, 20); // 0.030824
 */
export function anytimeHalfWidth(difference: Estimated, spread: number, bar: number): number {
  const { stdErr, ess, groups } = difference;
  const tail = normalTail(scoreNeeded(spread / stdErr, bar));
  return studentTQuantile(1 - tail, freedom(ess, groups)) * stdErr;
}

/** Whether Λ ≥ K/α. */
export function isDifferent(difference: Estimated, spread: number, bar: number): boolean {
  const score = normalScore(difference);
  return logEvidence(score, spread / difference.stdErr) >= Math.log(bar);
}

function freedom(ess: number, groups: number): number {
  return Math.min(ess, groups) - 1;
}
