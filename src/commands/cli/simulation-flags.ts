import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  EXPOSURE_SOURCES,
  type Examination,
  NAMINGS,
  type Naming,
  type SimulationOptions,
} from '../../simulation/options.js';
import { realNumber, wholeNumber } from './arguments.js';

/** Effects of served lists, as flags of `simulate` and `demo`. */
export interface ServingFlags {
  readonly caused?: number;
  readonly arms?: number;
  readonly randomArm?: number;
  readonly logger?: number;
  readonly examination?: Examination;
  readonly naming?: Naming;
  readonly bots?: number;
  readonly botClicks?: number;
}

/** Flags of `simulate` for what the exposure probabilities of the logging policy depend on. */
export type ExposureFlags = Pick<SimulationOptions, 'exposuresFollow' | 'itemNoise'>;

/**
 * Flag `--caused` of `simulate`. Its default is a share small enough not to change other estimates.
 */
const CAUSED = {
  share: 0.01,
  about: 'share of the positives driven by served lists',
};

/** Add the flags of served lists and crawlers to `simulate`. */
export function addServingFlags(command: Command): Command {
  return addArmFlags(
    command.option('--caused <share>', CAUSED.about, realNumber(0, 1), CAUSED.share),
  );
}

/**
 * Add the flags of served lists to `demo`. Here `--caused` has no default, since the traffic of the
 * demo has its own.
 */
export function addDemoFlags(command: Command): Command {
  return addArmFlags(command.option('--caused <share>', CAUSED.about, realNumber(0, 1)));
}

function addArmFlags(command: Command): Command {
  return command
    .option(
      '--arms <number>',
      'number of rankers that serve sessions, assigned at random; each session is a request',
      wholeNumber(0, 100),
    )
    .option(
      '--random-arm <share>',
      'share of requests that get a random list, as one more arm',
      realNumber(0, 1),
    )
    .option(
      '--logger <chance>',
      'probability that a random list is shown instead of the first ranker’s; logs propensities',
      realNumber(0, 1),
    )
    .option(
      '--examination <chances>',
      'examination probability of each position of a served list, such as 1,0.6,0.4; or flat',
      examinationOf,
    )
    .addOption(
      new Option('--naming <which>', 'which interactions give the id of a list').choices(NAMINGS),
    )
    .option(
      '--bots <number>',
      'number of crawlers that click through the catalogue',
      wholeNumber(0, 10_000),
    )
    .option(
      '--bot-clicks <number>',
      'clicks of each crawler in a cycle',
      wholeNumber(1, 1_000_000),
    );
}

/** Add the flags that configure the exposures of the logging policy. */
export function addExposureFlags(command: Command): Command {
  return command
    .addOption(
      new Option(
        '--exposures-follow <what>',
        'popularity that exposures follow: lagged counts, or the constant long-run popularity',
      ).choices(EXPOSURE_SOURCES),
    )
    .option(
      '--item-noise <sd>',
      'standard deviation of the log-normal noise on the exposure weight of each item',
      realNumber(0, 3),
    );
}

/** Convert serving flags to simulation options; other flags are returned unchanged. */
export function servingOf<Flags extends ServingFlags>(flags: Flags) {
  const { caused, ...rest } = flags;
  return {
    ...rest,
    ...(caused === undefined ? {} : { causedShare: caused }),
  };
}

function examinationOf(text: string): Examination {
  if (text === 'flat') return 'flat';
  const chances = text.split(',').map((part) => (part.trim() === '' ? Number.NaN : Number(part)));
  if (chances.every((chance) => chance >= 0 && chance <= 1)) return chances;
  throw new InvalidArgumentError(
    'Expected probabilities from 0 to 1, separated by commas, or flat.',
  );
}
