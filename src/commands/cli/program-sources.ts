import { Argument, type Command, Option } from 'commander';
import { UnskewError } from '../../errors.js';
import { whole } from '../../rows/figures.js';
import { DEFAULT_OPTIONS, RANKERS, type SimulationOptions } from '../../simulation/options.js';
import { DATASETS, type DatasetName, type ImportOptions } from '../import/import.js';
import { CAMPAIGNS } from '../import/open-bandit.js';
import { namesOf, realNumber, wholeNumber } from './arguments.js';
import type { ProgramContext } from './bodies.js';
import {
  addExposureFlags,
  addServingFlags,
  type ExposureFlags,
  type ServingFlags,
  servingOf,
} from './simulation-flags.js';

type SimulationFlags = Pick<
  SimulationOptions,
  | 'seed'
  | 'users'
  | 'items'
  | 'gamma'
  | 'rankers'
  | 'listLength'
  | 'shownLength'
  | 'relevantPerUser'
  | 'popularityExponent'
  | 'randomizedShare'
>;

interface SimulateFlags extends SimulationFlags, ServingFlags, ExposureFlags {
  readonly out: string;
  readonly cycles: number;
  readonly trainCycles?: number;
  readonly drift?: string;
  readonly gzip?: boolean;
}

/** Add `simulate`: writes event files of simulated traffic with known true values. */
export function addSimulate(command: Command, { io, bodies }: ProgramContext): void {
  const defaults = DEFAULT_OPTIONS;
  const size = wholeNumber(1, 1_000_000);
  const share = realNumber(0, 1);
  command
    .requiredOption('--out <folder>', 'folder to write the files to')
    .option(
      '--seed <number>',
      'the same seed gives the same bytes',
      wholeNumber(0, 2 ** 32 - 1),
      defaults.seed,
    )
    .option('--users <number>', 'users', size, defaults.users)
    .option('--items <number>', 'items in the catalogue', size, defaults.items)
    .option('--gamma <number>', 'exponent of presentation bias', realNumber(-1, 5), defaults.gamma)
    .option(
      '--cycles <number>',
      'number of one-hour cycles, with one session per user in each',
      size,
      20,
    )
    .option(
      '--train-cycles <number>',
      'number of cycles written to train.ndjson (default: all but the last)',
      wholeNumber(0, 1_000_000),
    )
    .addOption(
      new Option('--rankers <names>', `some of ${RANKERS.join(', ')}`)
        .argParser(namesOf(RANKERS))
        .default([...defaults.rankers], defaults.rankers.join(',')),
    )
    .option('--list-length <number>', 'length of a ranker’s list', size, defaults.listLength)
    .option(
      '--shown-length <number>',
      'number of items shown in a session',
      size,
      defaults.shownLength,
    )
    .option(
      '--relevant-per-user <number>',
      'mean number of relevant items of a user',
      realNumber(1, 1e6),
      defaults.relevantPerUser,
    )
    .option(
      '--popularity-exponent <number>',
      'exponent of the popularity distribution',
      realNumber(0, 2),
      defaults.popularityExponent,
    )
    .option(
      '--randomized-share <number>',
      'share of randomised sessions',
      share,
      defaults.randomizedShare,
    )
    .option('--drift <ranker@cycle>', 'from this cycle on, this ranker favours popular items')
    .option('--gzip', 'write .ndjson.gz');
  addExposureFlags(addServingFlags(command)).action(
    async ({ out, cycles, trainCycles, drift, gzip = false, ...flags }: SimulateFlags) => {
      const drifts = drift === undefined ? {} : { drift: driftOf(drift) };
      const simulation = {
        ...servingOf(flags),
        ...drifts,
      };
      const train = trainCycles === undefined ? {} : { trainCycles };
      const { startProgress } = await import('../../outputs/text/progress.js');
      const progress = startProgress('simulating', io);
      const summary = await bodies
        .simulate(
          {
            simulation,
            cycles,
            gzip,
            ...train,
          },
          out,
          progress.update,
        )
        .finally(() => progress.stop());
      for (const part of [summary.train, summary.events]) {
        io.stdout(`${part.path}: ${whole(part.events)} events\n`);
      }
      io.stdout(`${summary.truth}: the true values\n`);
    },
  );
}

type ImportFlags = Omit<ImportOptions, 'models'> & { readonly model?: readonly string[] };

function driftOf(text: string): NonNullable<SimulationOptions['drift']> {
  const match = /^([a-z]+)@(\d+)$/.exec(text);
  const ranker = RANKERS.find((name) => name === match?.[1]);
  if (match === null || ranker === undefined) {
    const expected = `expected ranker@cycle with a ranker of ${RANKERS.join(', ')}`;
    throw new UnskewError('USAGE', `--drift: ${expected}, found ${JSON.stringify(text)}`);
  }
  const { startMs, cycleMs } = DEFAULT_OPTIONS;
  return {
    ranker,
    atMs: startMs + Number(match[2]) * cycleMs,
  };
}

/** Add `import`: converts public data sets to event files. */
export function addImport(command: Command, { io, bodies }: ProgramContext): void {
  command
    .addArgument(new Argument('<dataset>', 'which data set').choices(DATASETS))
    .argument('<folder>', 'folder with the files of the data set, as published')
    .requiredOption('--out <file>', 'event file to write; .gz compresses')
    .option('--train-out <file>', 'file for the train part (default: --out)')
    .addOption(
      new Option('--split <how>', 'how to split off the train part').choices([
        'given',
        'time',
        'hash',
      ]),
    )
    .option('--ratio <number>', 'share of the train part', realNumber(0, 1))
    .option('--seed <number>', 'seed of --split hash', wholeNumber(0, Number.MAX_SAFE_INTEGER))
    .option('--list-length <number>', 'length of the rankers’ lists', wholeNumber(1, 10_000))
    .option('--model <files...>', 'models of unskew train whose lists to add')
    .option('--propensities <file>', 'propensity file that one of these models was trained with')
    .option('--user-features <file>', 'coat only: file for the table of users, as CSV')
    .option('--item-features <file>', 'coat only: file for the table of items, as CSV')
    .addOption(
      new Option(
        '--campaign <name>',
        'open-bandit only: the campaign (default: the one in the folder)',
      ).choices(CAMPAIGNS),
    )
    .action(async (dataset: DatasetName, folder: string, { model, ...flags }: ImportFlags) => {
      const options = {
        ...flags,
        ...(model === undefined ? {} : { models: model }),
      };
      const { startProgress } = await import('../../outputs/text/progress.js');
      const progress = startProgress('importing', io);
      const counts = await bodies
        .importDataset(dataset, folder, options, progress.update)
        .finally(() => progress.stop());
      if (options.trainOut !== undefined) {
        io.stdout(`${options.trainOut}: ${whole(counts.train)} events\n`);
        io.stdout(`${options.out}: ${whole(counts.events)} events\n`);
      } else {
        io.stdout(`${options.out}: ${whole(counts.train + counts.events)} events\n`);
      }
    });
}
