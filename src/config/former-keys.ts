import { variableName } from './key-index.js';

/** New name of a renamed key. The old name works until 1.0. */
export interface Renamed {
  readonly to: string;
  /**
   * Convert a value of the old key to one of the new key; undefined if the new key needs no value.
   */
  readonly converted?: (written: unknown) => unknown;
  /**
   * Value of the new key that earlier versions required next to the old key: `deadLetters.to: file`
   * next to `deadLetters.file`. It is replaced by the value of the old key.
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
    'run unskew train by a schedule and send the lists it writes as exposure events (docs/baselines.md)',
  'kafka.clientId': 'leave it out; the client has the name of kafka.groupId',
  'kafka.connectTimeout': 'leave it out; the first connection has 10s',
  'kafka.stuckTimeout': 'set kafka.sessionTimeout; it is three times as long',
  'registry.timeout':
    'leave it out; a request has a timeout of 5s and is tried three times, and again while events wait',
  'intake.groupId': 'leave it out; the group is always kafka.groupId plus .intake',
  'intake.maxAhead': 'leave it out; the intake reads a source at most 10m ahead of the slowest one',
  'intake.lists.topic': 'leave it out; the topic is always kafka.topics.exposures plus .parts',
  'intake.lists.within': 'set intake.lists.gap; a list lasts at most ten times as long',
  'intake.lists.maxParts': 'leave it out; at most 1,000,000 impressions of a partition are held',
  'estimates.sampleShare': 'leave it out; skew and wtd_h keep half of the rows',
  'drift.ratings':
    'name that metric in drift.metric too, such as recall@10,mse; recall@10,none watches no ratings',
  'drift.allowance': 'set drift.threshold; the k of CUSUM is 0.5',
  'drift.hold': 'set drift.learn; an alarm is shown for as many panes, and at least ten',
  'decision.ratings':
    'name that metric in decision.metric too, such as recall@10,mse; recall@10,none judges by no ratings',
  'deadLetters.memory': 'leave it out; at most 32MiB of dead letters are held',
  'http.streamsPerAddress':
    'leave it out for 100 streams per address, or set http.rateLimit to 0 for no limit',
  'export.timeZone': 'write it into export.schedule, such as TZ=Europe/Berlin 0 3 * * *',
  'export.retryDelay': 'leave it out; a failed set is retried after 5m',
  'export.catchUp': 'leave it out; up to 7 missing sets are made later',
  'export.leaseTtl': 'leave it out; a worker that is silent for 60s loses its lease',
  'export.redis':
    'set state.store to redis and state.redisUrl; workers agree there on who makes a set',
  workers:
    'leave it out; workers are started with serve --role read and --role tick (docs/operate.md)',
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
