import { Cron } from 'croner';
import { STRATEGIES } from '../../estimators/names.js';
import { FORMATS, PARTS } from '../../export/set-plan.js';
import type { Complete, Report } from '../key.js';
import { duration, group, ofCommands, oneOf, real, size, text, whole, yesOrNo } from '../kinds.js';

const SET = ['serve', 'export'] as const;
const NIGHTLY = ['serve'] as const;

/** Whose place weights by learned propensities take: that of a uniform choice of pairs. */
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
    description: 'Name the bucket in the path and not in the host.',
    default: false,
  }),
} as const;

/** Sets: what is drawn, and when the service draws one. */
export const EXPORT = ofCommands(SET, {
  schedule: text({
    description:
      'When sets are due, as a cron expression; in UTC, or in the zone that stands before it: `TZ=Europe/Berlin 0 3 * * *`. Processes with `state.redisUrl` agree there on who makes a set; without it there should be one that ticks.',
    commands: NIGHTLY,
    expected: "a cron expression such as '0 3 * * *'",
  }),
  out: text({
    description: 'Where the service keeps sets. A folder, or `s3://bucket/prefix`.',
    commands: NIGHTLY,
    expected: 'a folder, or s3://bucket and a prefix',
  }),
  range: duration({
    description: 'How long the range of a scheduled set is.',
    commands: NIGHTLY,
    least: '1ms',
    default: '24h',
  }),
  settle: duration({
    description: 'How long before the due time the range ends.',
    commands: NIGHTLY,
    least: '0s',
    default: '1h',
  }),
  strategy: oneOf(STRATEGIES, {
    description: 'How the set is drawn.',
    flag: '--strategy',
    default: BY_PROPENSITIES,
  }),
  size: real({
    description: 'Share of the part, or above 1 a number of rows.',
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
    description: 'Seed of the set. The same seed and events give the same bytes.',
    flag: '--seed',
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    default: 1,
  }),
  split: real({
    description: 'Share of the train part.',
    flag: '--split',
    argument: '<share>',
    unit: 'share of the pairs',
    above: 0,
    below: 1,
    default: 0.6,
  }),
  propensities: text({
    description: `A file of \`unskew propensities\`: \`${BY_PROPENSITIES}\` then weighs each pair by 1 / P of it, in place of counts of its user and its item. What the file does not know is not drawn. A service reads it for each set.`,
    flag: '--propensities',
    argument: '<file>',
    expected: 'the path of a file',
  }),
  exponent: real({
    unit: null,
    description: 'Exponent p of the item’s weight by wtd_h, in sets and in estimates.',
    commands: ['serve', 'replay', 'evaluate', 'export'],
    flag: '--exponent',
    from: 0,
    to: 10,
    default: 2,
  }),
  part: oneOf(PARTS, {
    description: 'Part that the set is drawn from.',
    flag: '--part',
    default: 'test',
  }),
  withTrain: yesOrNo({
    description: 'Write all rows of the train part too.',
    flag: '--with-train',
    default: false,
  }),
  format: oneOf(FORMATS, {
    description: 'Format of the files.',
    flag: '--format',
    default: 'parquet',
  }),
  memory: size({
    description: 'Rows beyond this much memory go to the temporary folder meanwhile.',
    flag: '--memory',
    default: '256MiB',
  }),
  allowMissing: yesOrNo({
    description: 'Take a range whose beginning Kafka has lost.',
    flag: '--allow-missing',
    default: false,
  }),
  retain: whole({
    description: 'Sets that are kept; 0 keeps all.',
    commands: NIGHTLY,
    unit: 'sets',
    from: 0,
    to: Number.MAX_SAFE_INTEGER,
    default: 30,
  }),
  retries: whole({
    description: 'Attempts after the first, five minutes apart.',
    commands: NIGHTLY,
    unit: 'attempts',
    from: 0,
    to: 100,
    default: 3,
  }),
  s3: group(S3_FIELDS, {
    description:
      'The client of every `s3://` place. Credentials come from the environment, as for any AWS client.',
  }),
});

export function checkExport(
  { schedule, out, strategy, propensities }: Complete<typeof EXPORT>,
  fault: Report,
): void {
  if (propensities !== undefined && strategy !== BY_PROPENSITIES) {
    fault(
      'export.strategy',
      `expected ${BY_PROPENSITIES}, the only strategy that export.propensities changes; found ${strategy}`,
    );
  }
  if (schedule === undefined) return;
  if (out === undefined) {
    fault('export.out', 'expected a place, as export.schedule is given');
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
      fault('export.schedule', `is never due: ${schedule}`);
    }
  } catch (error) {
    fault('export.schedule', `no cron expression: ${(error as Error).message}`);
  }
}

/** `TZ=Europe/Berlin 0 3 * * *`: when, and by which clock. */
export function scheduleOf(written: string): {
  readonly cron: string;
  readonly timeZone: string;
} {
  const [, timeZone = 'UTC', cron = written] = /^TZ=(\S+)\s+(.+)$/.exec(written.trim()) ?? [];
  return { cron, timeZone };
}
