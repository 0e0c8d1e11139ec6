import { variableName } from './key-index.js';

/** Keys of earlier versions: what has become of each, and what is given in its place. */

/** A key that goes on working under another name until 1.0. */
export interface Renamed {
  readonly to: string;
  /** The value under the new name; undefined if the new key alone says it. */
  readonly converted?: (written: unknown) => unknown;
  /** What the new key was given beside the old one, and which says nothing without it. */
  readonly beside?: unknown;
  /** The flag of the old name, which is taken too. */
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

/** Keys, and whole sections, that are refused with what to do instead. */
export const REMOVED: Readonly<Record<string, string>> = {
  shadow:
    'run unskew train by a schedule and send the lists it writes as exposure events (docs/baselines.md)',
  'kafka.clientId': 'leave it out; the client has the name of kafka.groupId',
  'kafka.connectTimeout': 'leave it out; the first connection is tried for 10s',
  'kafka.stuckTimeout': 'set kafka.sessionTimeout; it is three times as long',
  'registry.timeout':
    'leave it out; a request may take 5s, is tried three times, and again while events wait',
  'intake.groupId': 'leave it out; it is kafka.groupId with .intake after it',
  'intake.maxAhead': 'leave it out; a source is read at most 10m ahead of the slowest',
  'intake.lists.topic': 'leave it out; it is kafka.topics.exposures with .parts after it',
  'intake.lists.within': 'set intake.lists.gap; a list goes on for ten times as long at most',
  'intake.lists.maxParts': 'leave it out; 1,000,000 impressions of a partition wait at most',
  'estimates.sampleShare': 'leave it out; skew and wtd_h keep half of the rows',
  'drift.ratings':
    'name that metric in drift.metric too, such as recall@10,mse; recall@10,none watches no ratings',
  'drift.allowance': 'set drift.threshold; the k of CUSUM is 0.5',
  'drift.hold': 'set drift.learn; an alarm is shown for as many panes, and at least ten',
  'decision.ratings':
    'name that metric in decision.metric too, such as recall@10,mse; recall@10,none judges by no ratings',
  'deadLetters.memory': 'leave it out; 32MiB of refused events wait at most',
  'http.streamsPerAddress':
    'leave it out for 100 streams an address, or set http.rateLimit to 0 for as many as there may be',
  'export.timeZone': 'write it into export.schedule, such as TZ=Europe/Berlin 0 3 * * *',
  'export.retryDelay': 'leave it out; a set is tried again after 5m',
  'export.catchUp': 'leave it out; up to 7 missing sets are made up for',
  'export.leaseTtl': 'leave it out; a worker that is silent for 60s loses its claim to make a set',
  'export.redis':
    'set state.store to redis and state.redisUrl; workers agree there on who makes a set',
  workers:
    'leave it out; workers are started with serve --role read and --role tick (docs/operate.md)',
  'results.every':
    'leave it out; a tick is kept in each stretch as long as the shortest of time.windows',
};

/** A removed setting that is still given. */
export interface RemovedSetting {
  /** As the table has it. */
  readonly path: string;
  readonly origin: string;
}

/** The entry of the table that a path falls under, if any. */
export function removedPath(path: string): string | undefined {
  return Object.keys(REMOVED).find((each) => `${path}.`.startsWith(`${each}.`));
}

/** The same for the name of an environment variable. */
export function removedByVariable(name: string): string | undefined {
  return Object.keys(REMOVED).find((each) => `${name}_`.startsWith(`${variableName(each)}_`));
}

/** One line for each entry of the table, with every place that still gives it. */
export function removalFaults(given: readonly RemovedSetting[]): string[] {
  return [...new Set(given.map(({ path }) => path))].map((path) => {
    const origins = given.filter((each) => each.path === path).map(({ origin }) => origin);
    return `${[...new Set(origins)].join(', ')}: ${path} was removed: ${REMOVED[path]}`;
  });
}
