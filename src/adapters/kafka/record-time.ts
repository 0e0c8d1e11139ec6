/**
 * A record time from this value to below `MOST_SECONDS` is in seconds: it means the years 2001 to
 * 5138. In milliseconds, such a value would be a time before March 1973.
 */
const LEAST_SECONDS = 1e9;
const MOST_SECONDS = 1e11;

/**
 * Parse the time of a record, ms. Some producers write seconds, which are recognised by their size
 * (`LEAST_SECONDS`) and converted.
 */
export function recordTime(timestamp: string): number {
  const stated = Number(timestamp);
  return stated >= LEAST_SECONDS && stated < MOST_SECONDS ? 1000 * stated : stated;
}
