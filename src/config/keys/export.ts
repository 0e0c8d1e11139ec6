import { Cron } from 'croner';
import { STRATEGIES } from '../../estimators/names.js';
import { FORMATS, PARTS } from '../../export/set-plan.js';
import type { Complete, Report } from '../key.js';
import { duration, group, ofCommands, oneOf, real, size, text, whole, yesOrNo } from '../kinds.js';

const SET = ['serve', 'export'] as const;
const NIGHTLY = ['serve'] as const;

/**
 * Strategy whose weights `export.propensities` changes: `wtd_h`, which targets a uniform
 * distribution over user-item pairs.
 */
const [BY_PROPENSITIES] = STRATEGIES;

const S3_FIELDS = {
  endpoint: text({
    description: 'Address of an S3-compatible server.',
    pattern: '^https?://',
    expected: 'an http address',
  }),
  region: text({
    description: 'Region of the bucket.',
    expected: 'some text',
    default: 'us-east-1',
  }),
  pathStyle: yesOrNo({
    description: 'Put the bucket name in the path instead of the host name.',
    default: false,
  }),
} as const;

/** Keys of `export`: how test sets are drawn, and when the service draws one. */
export const EXPORT = ofCommands(SET, {
  schedule: text({
    description:
      'When to make test sets, as a cron expression in UTC, or with a time zone in front: `TZ=Europe/Berlin 0 3 * * *`. With `state.redisUrl` processes agree on who makes a set; without it, run one process that ticks.',
    commands: NIGHTLY,
    expected: "a cron expression such as '0 3 * * *'",
  }),
  out: text({
    description: 'Folder or `s3://bucket/prefix` for test sets.',
    commands: NIGHTLY,
    expected: 'a folder, or s3://bucket and a prefix',
  }),
  range: duration({
    description: 'Length of the time range that a scheduled set covers.',
    commands: NIGHTLY,
    least: '1ms',
    default: '24h',
  }),
  settle: duration({
    description: 'Time between the end of the range of a scheduled set and its scheduled time.',
    commands: NIGHTLY,
    least: '0s',
    default: '1h',
  }),
  strategy: oneOf(STRATEGIES, {
    description: 'Sampling strategy.',
    flag: '--strategy',
    default: BY_PROPENSITIES,
  }),
  size: real({
    description: 'Size of the set: a share of the part, or a number of rows if above 1.',
    flag: '--size',
    argument: '<share|rows>',
    unit: 'share or rows',
    above: 0,
    to: 1e9,
    expected: 'a share of at most 1, or a number of rows',
    default: 0.5,
  }),
  seed: whole({
    unit: null,
    description: 'Random seed. The same seed and events give the same bytes.',
    flag: '--seed',
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    default: 1,
  }),
  split: real({
    description: 'Share of pairs in the train part.',
    flag: '--split',
    argument: '<share>',
    unit: 'share of the pairs',
    above: 0,
    below: 1,
    default: 0.6,
  }),
  propensities: text({
    description: `File of \`unskew propensities\` for the strategy \`${BY_PROPENSITIES}\`, which weights each pair by 1 / P instead of by counts. Pairs that are not in the file are not drawn.`,
    flag: '--propensities',
    argument: '<file>',
    expected: 'the path of a file',
  }),
  exponent: real({
    unit: null,
    description: 'Exponent p of the item weights of wtd_h, in test sets and estimates.',
    commands: ['serve', 'replay', 'evaluate', 'export'],
    flag: '--exponent',
    from: 0,
    to: 10,
    default: 2,
  }),
  part: oneOf(PARTS, {
    description: 'Part of the events to draw from.',
    flag: '--part',
    default: 'test',
  }),
  withTrain: yesOrNo({
    description: 'Also write the whole train part.',
    flag: '--with-train',
    default: false,
  }),
  format: oneOf(FORMATS, {
    description: 'File format.',
    flag: '--format',
    default: 'parquet',
  }),
  memory: size({
    description: 'Memory for rows; further rows go to the temporary folder.',
    flag: '--memory',
    default: '256MiB',
  }),
  allowMissing: yesOrNo({
    description: 'Accept a time range whose beginning Kafka no longer holds.',
    flag: '--allow-missing',
    default: false,
  }),
  retain: whole({
    description: 'Number of newest sets to keep; 0: all.',
    commands: NIGHTLY,
    unit: 'sets',
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    default: 30,
  }),
  retries: whole({
    description: 'Number of retries of a failed set, five minutes apart.',
    commands: NIGHTLY,
    unit: 'attempts',
    from: 0,
    to: 100,
    default: 3,
  }),
  s3: group(S3_FIELDS, {
    description:
      'Client for `s3://` addresses. Credentials come from the environment, as for any AWS client.',
  }),
});

export function checkExport(
  { schedule, out, strategy, propensities }: Complete<typeof EXPORT>,
  fault: Report,
): void {
  if (propensities !== undefined && strategy !== BY_PROPENSITIES) {
    fault(
      'export.strategy',
      `expected ${BY_PROPENSITIES}, the only strategy that uses export.propensities; found ${strategy}`,
    );
  }
  if (schedule === undefined) return;
  if (out === undefined) {
    fault('export.out', 'expected a folder or s3://bucket/prefix, because export.schedule is set');
  }
  const { cron, timeZone } = scheduleOf(schedule);
  try {
    new Intl.DateTimeFormat('en', { timeZone });
  } catch {
    fault('export.schedule', `expected a time zone such as Europe/Berlin, found ${timeZone}`);
    return;
  }
  try {
    if (
      new Cron(cron, {
        timezone: timeZone,
        paused: true,
      }).nextRun() === null
    ) {
      fault('export.schedule', `expected a schedule that is due at some time, found ${schedule}`);
    }
  } catch (error) {
    fault('export.schedule', `not a cron expression: ${(error as Error).message}`);
  }
}

/**
 * Split a schedule such as `TZ=Europe/Berlin 0 3 * * *` into cron expression and time zone (default
 * UTC).
 */
export function scheduleOf(written: string): {
  readonly cron: string;
  readonly timeZone: string;
} {
  const [, timeZone = 'UTC', cron = written] = /^TZ=(\S+)\s+(.+)$/.exec(written.trim()) ?? [];
  return { cron, timeZone };
}
