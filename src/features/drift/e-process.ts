/** Changes, in standard deviations, that the e-processes are made to find, upwards and downwards. */
export const E_CHANGES: readonly number[] = [0.25, 0.5, 1, 2, -0.25, -0.5, -1, -2];

/** So that a score is a number in JSON and in a gauge; no threshold is anywhere near. */
const LARGEST_LOG = 600;

/**
 * ln of the likelihood ratio of a score under a change of λ against none: λ z − λ²/2. Its
 * exponential has the mean 1 without a change, which makes it an e-value.
 */
export function logLikelihoodRatio(z: number, change: number): number {
  return change * z - (change * change) / 2;
}

/** Mean of e-values that are given by their logarithms, which is an e-value again. */
export function meanOfLogs(logs: readonly number[]): number {
  let sum = 0;
  for (const log of logs) sum += Math.exp(Math.min(LARGEST_LOG, log));
  return sum / logs.length;
}
