/** Seconds of the years 2001 to 5138; as milliseconds they would lie before March 1973. */
const LEAST_SECONDS = 1e9;
const MOST_SECONDS = 1e11;

/**
 * Parse the time of a record, ms. Some producers write seconds: values that would mean a time
 * before 1973 in milliseconds are read as seconds.
 */
export function recordTime(timestamp: string): number {
  const stated = Number(timestamp);
  return stated >= LEAST_SECONDS && stated < MOST_SECONDS ? 1000 * stated : stated;
}
