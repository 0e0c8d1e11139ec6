import { type Command, InvalidArgumentError, Option } from 'commander';
import { UnskewError } from '../../errors.js';
import { OFFSETS } from '../../estimators/propensity/fit-logistic.js';
import { KINDS, type LogisticChoices, type PropensityOptions } from '../propensities/options.js';
import { maxFaultsOption, realNumber, wholeNumber } from './arguments.js';
import type { ProgramContext } from './bodies.js';
import { eventFiles } from './event-paths.js';
import { addSettings, settingsOf } from './settings.js';

type Given = Omit<PropensityOptions, 'config' | 'events' | 'randomized' | 'logistic' | 'json'>;
interface PropensityFlags extends Given, LogisticChoices {
  readonly events?: string[];
  readonly randomized?: string[];
  readonly json?: boolean;
}

const DEFAULT_RIDGES = [1, 10, 100, 1000];
/** Flags that only affect logistic regression (`--kind lr`). */
const LOGISTIC_FLAGS = ['offsets', 'l2', 'folds', 'negatives', 'seed'];

/** Add `propensities`: learns the probability that a rating is observed. */
export function addPropensities(command: Command, { io, env, bodies }: ProgramContext): void {
  command
    .argument('[files...]', 'event files, same as --events')
    .addOption(
      new Option(
        '--kind <kind>',
        'nb: naive Bayes, depends on the rating; lr: logistic regression, depends on user and item',
      )
        .choices(KINDS)
        .makeOptionMandatory(),
    )
    .requiredOption('--out <file>', 'file to write the propensities to, as JSON')
    .option('--events <files...>', 'event files with ratings; - is standard input')
    .option(
      '--randomized <files...>',
      'event files in which all ratings are on randomly drawn items',
    )
    .option(
      '--user-features <file>',
      'table of users, CSV or NDJSON, with the id in the first column',
    )
    .option(
      '--item-features <file>',
      'table of items, CSV or NDJSON, with the id in the first column',
    )
    .addOption(
      new Option(
        '--offsets <sides>',
        'lr only: fit an intercept for each user, item, or both (default: none if there are features, else both)',
      ).choices(OFFSETS),
    )
    .addOption(
      new Option('--l2 <numbers>', 'lr only: ridge penalties to choose from by cross-validation')
        .argParser(ridges)
        .default(DEFAULT_RIDGES, DEFAULT_RIDGES.join(',')),
    )
    .option(
      '--folds <number>',
      'lr only: number of folds of the cross-validation',
      wholeNumber(2, 20),
      5,
    )
    .option(
      '--negatives <share>',
      'lr only: share of the unrated pairs to sample as negatives (default: about 2 million pairs)',
      realNumber(0, 1),
    )
    .option(
      '--smoothing <count>',
      'nb only: pseudo-count added to the random ratings of each value',
      realNumber(0, 1e6),
      1,
    )
    .option('--seed <number>', 'random seed of folds and negatives', wholeNumber(0, 2 ** 32 - 1), 1)
    .addOption(maxFaultsOption())
    .option('--json', 'print the file that is written');
  addSettings(command).action(async (files: string[], flags: PropensityFlags) => {
    const { randomized = [], offsets, l2, folds, negatives, json = false, ...rest } = flags;
    checkFlags(command, flags, files);
    const events = eventFiles(files, {
      ...flags,
      train: randomized,
    });
    const { config, warnings } = await settingsOf(command, env);
    for (const warning of warnings) {
      io.stderr(`warning: ${warning}\n`);
    }
    const { kind, userFeatures, itemFeatures, out, smoothing, seed, maxFaults } = rest;
    const logistic = {
      offsets,
      l2,
      folds,
      negatives,
    };
    const named = {
      events,
      randomized,
      userFeatures,
      itemFeatures,
      out,
    };
    await bodies.propensities(
      {
        kind,
        config,
        ...named,
        smoothing,
        logistic,
        seed,
        json,
        maxFaults,
      },
      io,
    );
  });
}

function ridges(text: string): number[] {
  const numbers = text.split(',').map(realNumber(0, 1e9));
  if (new Set(numbers).size === numbers.length) return numbers;
  throw new InvalidArgumentError('Expected different numbers.');
}

/** Check flags. @throws UnskewError USAGE for a flag without effect, and for a share of 0 */
function checkFlags(command: Command, flags: PropensityFlags, files: readonly string[]): void {
  const { events = [], randomized = [] } = flags;
  if (files.length + events.length === 0 && randomized.length > 1) {
    throw new UnskewError(
      'USAGE',
      `there are no ratings to learn from: --randomized takes all files after it (${randomized.join(', ')}). Name the files with ratings that users chose to give with --events`,
    );
  }
  if (flags.negatives === 0) throw new UnskewError('USAGE', '--negatives must be above 0');
  const hasTable = flags.userFeatures !== undefined || flags.itemFeatures !== undefined;
  if (flags.kind === 'lr' || hasTable) return;
  for (const name of LOGISTIC_FLAGS) {
    if (command.getOptionValueSource(name) !== 'cli') continue;
    throw new UnskewError(
      'USAGE',
      `--${name} has no effect with --kind nb unless there are tables of features`,
    );
  }
}
