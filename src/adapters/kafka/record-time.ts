/** Seconds of the years 2001 to 5138; as milliseconds they would lie before March 1973. */
const LEAST_SECONDS = 1e9;
const MOST_SECONDS = 1e11;

/** The time of a record, ms. Producers are known to write seconds, which no log of events is old enough for. */
export function recordTime(timestamp: string): number {
  const stated = Number(timestamp);
  return stated >= LEAST_SECONDS && stated < MOST_SECONDS ? 1000 * stated : stated;
}
