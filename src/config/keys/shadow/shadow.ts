import { BASELINE_MODEL } from '../../../estimators/diagnostics/popularity-baseline.js';
import { KINDS, LEARNED_BY } from '../../../learning/kinds.js';
import type { Complete, Report } from '../../key.js';
import { duration, oneOf, real, size, text, whole } from '../../kinds.js';
import { checkSchedule } from '../export.js';

const SERVE = ['serve'] as const;

/** Kind of a service that learns no baseline. */
export const NO_SHADOW = 'none';

/** The baseline that the service learns from its own log, again and again. */
export const SHADOW = {
  kind: oneOf([NO_SHADOW, ...KINDS], {
    description:
      'What the service learns from its own log as a baseline beside `baseline`, as `unskew train` does. Its lists are those of a model that is not shown.',
    commands: SERVE,
    default: NO_SHADOW,
  }),
  name: text({
    description: 'Name of the baseline among the models. The kind, if none is given.',
    commands: SERVE,
    expected: 'a name',
  }),
  schedule: text({
    description: 'When it is learned again, as a cron expression.',
    commands: SERVE,
    expected: "a cron expression such as '0 4 * * *'",
  }),
  timeZone: text({
    description: 'Time zone of the schedule.',
    commands: SERVE,
    expected: 'some text',
    default: 'UTC',
  }),
  out: text({
    description:
      'Where its lists are kept; all workers need the same place. A folder, or `s3://bucket/prefix` by `export.s3`.',
    commands: SERVE,
    expected: 'a folder, or s3://bucket and a prefix',
  }),
  range: duration({
    description: 'How much of the log it learns from.',
    commands: SERVE,
    least: '1ms',
    default: '7d',
  }),
  settle: duration({
    description: 'How long before the due time that ends.',
    commands: SERVE,
    least: '0s',
    default: '5m',
  }),
  propensities: text({
    description:
      'Propensities of mf-ips: `nb`, which needs randomised traffic, or a file of `unskew propensities`.',
    commands: SERVE,
    expected: 'nb, or a file of unskew propensities',
  }),
  factors: whole({
    description:
      'Factors of mf, mf-ips and ials. Chosen by cross-validation for mf and mf-ips, if none is given.',
    commands: SERVE,
    unit: 'factors',
    from: 0,
    to: 500,
  }),
  lambda: real({
    description:
      'Ridge of mf, mf-ips and ials. Chosen by cross-validation for mf and mf-ips, if none is given.',
    commands: SERVE,
    unit: null,
    from: 0,
    to: 1e9,
  }),
  sweeps: whole({
    description: 'Sweeps of mf, mf-ips and ials at most.',
    commands: SERVE,
    unit: 'sweeps',
    from: 1,
    to: 10_000,
  }),
  neighbours: whole({
    description: 'Neighbours of user-knn and item-knn.',
    commands: SERVE,
    unit: 'neighbours',
    from: 1,
    to: 10_000,
  }),
  seed: whole({
    description: 'The same seed and log give the same lists.',
    commands: SERVE,
    unit: null,
    from: 0,
    to: 2 ** 32 - 1,
    default: 1,
  }),
  length: whole({
    description: 'Longest list.',
    commands: SERVE,
    unit: 'items',
    from: 1,
    to: 1000,
    default: 50,
  }),
  ratings: whole({
    description:
      'Interactions that it learns from at most. Above it users are sampled; those who are left out have no list.',
    commands: SERVE,
    unit: 'interactions',
    from: 100,
    to: 20_000_000,
    default: 500_000,
  }),
  memory: size({
    description:
      'Heap of the thread that learns. One that needs more fails, and the old lists stay.',
    commands: SERVE,
    default: '1GiB',
  }),
  deadline: duration({
    description: 'How long learning may take. One that takes longer fails, and the old lists stay.',
    commands: SERVE,
    least: '1s',
    default: '30m',
  }),
  retain: whole({
    description: 'Sets of lists that are kept.',
    commands: SERVE,
    unit: 'sets',
    from: 1,
    to: 1000,
    default: 3,
  }),
} as const;

type Shadow = Complete<typeof SHADOW>;

interface Beside {
  readonly shadow: Shadow;
}

/** Keys that only some kinds are learned by. */
const SOMETIMES = ['factors', 'lambda', 'sweeps', 'neighbours'] as const;

export function checkShadow({ shadow }: Beside, fault: Report): void {
  const { kind, schedule, out } = shadow;
  if (kind === NO_SHADOW) {
    for (const key of ['name', 'schedule', 'out', 'propensities', ...SOMETIMES] as const) {
      if (shadow[key] !== undefined) fault(`shadow.${key}`, 'has no use as shadow.kind is none');
    }
    return;
  }
  if (schedule === undefined) {
    fault('shadow.schedule', `expected a cron expression, as shadow.kind is ${kind}`);
  } else checkSchedule('shadow', shadow.timeZone, schedule, fault);
  if (out === undefined) fault('shadow.out', `expected a place, as shadow.kind is ${kind}`);
  if ((shadow.name ?? kind) === BASELINE_MODEL) {
    fault('shadow.name', `expected another name than ${BASELINE_MODEL}, the built-in baseline's`);
  }
  const used: readonly string[] = LEARNED_BY[kind];
  for (const key of SOMETIMES) {
    if (shadow[key] === undefined || used.includes(key)) continue;
    fault(`shadow.${key}`, `has no use as shadow.kind is ${kind}`);
  }
  checkPropensities(shadow, fault);
}

function checkPropensities({ kind, propensities }: Shadow, fault: Report): void {
  const path = 'shadow.propensities';
  if (kind === 'mf-ips') {
    if (propensities === undefined) fault(path, 'expected nb or a file, as shadow.kind is mf-ips');
    if (propensities === 'logged') {
      fault(path, 'expected nb or a file: lists of the past, which log them, are not read again');
    }
  } else if (propensities !== undefined) fault(path, `has no use as shadow.kind is ${kind}`);
}
