import { variableName } from './key-index.js';

/** New name of a renamed key. The old name works until 1.0. */
export interface Renamed {
  readonly to: string;
  /**
   * Convert a value of the old key to one of the new key; undefined if the new key needs no value.
   */
  readonly converted?: (written: unknown) => unknown;
  /**
   * A value of the new key that earlier versions required in addition to the old key. For example,
   * `deadLetters.file` required `deadLetters.to: file`. The converted value of the old key replaces
   * it.
   */
  readonly beside?: unknown;
  /** Command-line flag of the old key, which still works. */
  readonly flag?: `--${string}`;
}

export const RENAMED: Readonly<Record<string, Renamed>> = {
  'estimates.reference': {
    to: 'comparisons.control',
    flag: '--reference',
  },
  'estimates.posteriorExponent': { to: 'export.exponent' },
  'export.smoothing': { to: 'estimates.smoothing' },
  'ratings.propensity': {
    to: 'ratings.propensities',
    converted: (written) => (written === 'file' ? undefined : written),
  },
  'deadLetters.file': {
    to: 'deadLetters.to',
    beside: 'file',
  },
};

/** What to do instead of each removed key or section, by its path. */
export const REMOVED: Readonly<Record<string, string>> = {
  shadow:
    'run unskew train on a schedule, and send its lists as exposure events (docs/baselines.md)',
  'kafka.clientId': 'leave it out; the client id is kafka.groupId',
  'kafka.connectTimeout': 'leave it out; the first connection times out after 10s',
  'kafka.stuckTimeout':
    'set kafka.sessionTimeout; the client counts as stuck after three times as long',
  'registry.timeout':
    'leave it out; a request times out after 5s and is tried three times, then again for as long as events wait',
  'intake.groupId': 'leave it out; the group is always kafka.groupId plus .intake',
  'intake.maxAhead':
    'leave it out; the intake reads a source at most 10m of event time ahead of the slowest source',
  'intake.lists.topic': 'leave it out; the topic is always kafka.topics.exposures plus .parts',
  'intake.lists.within': 'set intake.lists.gap; a list lasts at most ten times as long',
  'intake.lists.maxParts':
    'leave it out; at most 1,000,000 impressions per partition wait in memory',
  'estimates.sampleShare': 'leave it out; skew and wtd_h keep half of the rows',
  'drift.ratings':
    'add the rating metric to drift.metric, such as recall@10,mse; recall@10,none monitors no rating metric',
  'drift.allowance': 'set drift.threshold; the k of CUSUM is 0.5',
  'drift.hold': 'set drift.learn; an alarm stays for as many panes, and for at least ten',
  'decision.ratings':
    'add the rating metric to decision.metric, such as recall@10,mse; recall@10,none gives no verdict by ratings',
  'deadLetters.memory': 'leave it out; at most 32MiB of dead letters wait in memory',
  'http.streamsPerAddress':
    'leave it out; the limit is 100 streams per address, or none with http.rateLimit: 0',
  'export.timeZone': 'write the time zone into export.schedule, such as TZ=Europe/Berlin 0 3 * * *',
  'export.retryDelay': 'leave it out; a failed set is retried after 5m',
  'export.catchUp': 'leave it out; up to 7 missing sets are made later',
  'export.leaseTtl': 'leave it out; a process that is silent for 60s loses its lease',
  'export.redis':
    'set state.store to redis, and state.redisUrl; processes use it to agree on who makes a set',
  workers:
    'leave it out; start readers and tickers with serve --role read and --role tick (docs/operate.md)',
  'results.every': 'leave it out; the history keeps one tick per shortest window',
};

/** A removed key or section that is still set somewhere. */
export interface RemovedSetting {
  /** Path of the key or section, as in `REMOVED`. */
  readonly path: string;
  readonly origin: string;
}

/** Find the removed key or section that a path belongs to, if any. */
export function removedPath(path: string): string | undefined {
  return Object.keys(REMOVED).find((each) => `${path}.`.startsWith(`${each}.`));
}

/** Find the removed key or section that an environment variable belongs to, if any. */
export function removedByVariable(name: string): string | undefined {
  return Object.keys(REMOVED).find((each) => `${name}_`.startsWith(`${variableName(each)}_`));
}

/** Write one error line for each removed key that is still set, naming every place that sets it. */
export function removalFaults(given: readonly RemovedSetting[]): string[] {
  return [...new Set(given.map(({ path }) => path))].map((path) => {
    const origins = given.filter((each) => each.path === path).map(({ origin }) => origin);
    return `${[...new Set(origins)].join(', ')}: ${path} was removed: ${REMOVED[path]}`;
  });
}
