import { resolve } from 'node:path';
import { type Command, Option } from 'commander';
import { UnskewError } from '../../errors.js';
import { PROPENSITY_SOURCES } from '../train/propensities.js';
import type { LearningOptions } from '../train/train-options.js';
import { KINDS, type Kind, LEARNED_BY } from '../train/train-options.js';
import { eventTime, maxFaultsOption, realNumber, wholeNumber } from './arguments.js';
import type { ProgramContext } from './bodies.js';
import { type EventFlags, eventFiles } from './event-paths.js';
import { addSettings, settingsOf } from './settings.js';

interface TrainFlags extends EventFlags, LearningOptions {
  readonly kind?: Kind;
  readonly model?: string;
  readonly out: string;
  readonly modelOut?: string;
  readonly name?: string;
  readonly propensities?: string;
  readonly listLength: number;
  readonly keepRated?: boolean;
  readonly at?: number;
  readonly json?: boolean;
  readonly maxFaults: number;
}

/** Add `train`: learns baseline models from ratings. */
export function addTrain(command: Command, { io, env, bodies }: ProgramContext): void {
  command
    .argument('[files...]', 'event files, same as --events')
    .option('--events <files...>', 'event files to train on; - is standard input')
    .requiredOption('--out <file>', 'event file to write the lists to; .gz compresses')
    .addOption(new Option('--kind <kind>', 'kind of model to train').choices(KINDS))
    .option('--model <file>', 'a model written by --model-out, instead of training one')
    .option('--model-out <file>', 'file to write the model to')
    .option('--name <model>', 'name of the model in the lists (default: the kind)')
    .option('--list-length <number>', 'maximum length of a list', wholeNumber(1, 10_000), 100)
    .option(
      '--keep-rated',
      'also rank items that the user has already rated, where users return to the same items',
    )
    .option('--at <time>', 'event time of the lists (default: that of the newest event)', eventTime)
    .option(
      '--seed <number>',
      'the same seed gives the same bytes (default: 1)',
      wholeNumber(0, 2 ** 32 - 1),
    )
    .option('--factors <number>', 'number of factors of mf, mf-ips, ials', wholeNumber(0, 500))
    .option('--lambda <number>', 'ridge penalty of mf, mf-ips, ials', realNumber(0, 1e9))
    .option(
      '--folds <number>',
      'number of folds of the cross-validation that chooses factors and lambda',
      wholeNumber(2, 20),
    )
    .option('--sweeps <number>', 'maximum number of sweeps of the fit', wholeNumber(1, 10_000))
    .addOption(
      new Option('--loss <error>', 'loss that mf and mf-ips minimise').choices([
        'squared',
        'absolute',
      ]),
    )
    .option(
      '--neighbours <number>',
      'number of neighbours of user-knn, item-knn (default: 50)',
      wholeNumber(1, 10_000),
    )
    .option(
      '--alpha <number>',
      'confidence of a positive above 1, for ials (default: 1)',
      realNumber(0, 1e6),
    )
    .option(
      '--propensities <source>',
      `mf-ips only: ${PROPENSITY_SOURCES.join(', ')}, or a file of unskew propensities`,
    )
    .addOption(maxFaultsOption())
    .option('--json', 'print one JSON object');
  addSettings(command).action(async (files: string[], flags: TrainFlags) => {
    const { out, modelOut, propensities, name, listLength, at, json = false, maxFaults } = flags;
    const events = eventFiles(files, flags);
    const read = [flags.model, propensities].flatMap((path) => path ?? []);
    refuseToOverwrite(
      [out, modelOut].flatMap((path) => path ?? []),
      [...events, ...read],
    );
    const from = sourceOf(flags);
    const { config, warnings } = await settingsOf(command, env);
    for (const warning of warnings) {
      io.stderr(`warning: ${warning}\n`);
    }
    const lists = {
      name,
      listLength,
      keepsRated: flags.keepRated,
      atMs: at,
    };
    await bodies.train(
      {
        events,
        from,
        out,
        modelOut,
        propensities,
        ...lists,
        config,
        maxFaults,
        json,
      },
      io,
    );
  });
}

/** Check output paths. @throws UnskewError USAGE if one is also read, or is named twice */
function refuseToOverwrite(written: readonly string[], read: readonly string[]): void {
  const places = [...written, ...read.filter((path) => path !== '-')].map((path) => resolve(path));
  const twice = written.find((_, n) => places.indexOf(places[n], n + 1) >= 0);
  if (twice === undefined) return;
  throw new UnskewError(
    'USAGE',
    `${twice} is named for two outputs, and one would overwrite the other`,
  );
}

/**
 * Determine whether to train a model or to read one, from the flags.
 *
 * @throws UnskewError USAGE for a flag that would have no effect
 */
function sourceOf({ kind, model, modelOut, propensities, ...flags }: TrainFlags) {
  if ((kind === undefined) === (model === undefined)) {
    throw new UnskewError(
      'USAGE',
      'expected either --kind (to train a model) or --model (to use one)',
    );
  }
  if (kind === undefined) {
    refuse(flags, [], '--model');
    if (modelOut !== undefined) {
      throw new UnskewError('USAGE', '--model-out would have no effect beside --model');
    }
    return { model: model as string };
  }
  refuse(flags, LEARNED_BY[kind], kind);
  if (kind === 'mf-ips' && propensities === undefined) {
    throw new UnskewError(
      'USAGE',
      `mf-ips needs --propensities: ${PROPENSITY_SOURCES.join(', ')}, or a file`,
    );
  }
  if (kind !== 'mf-ips' && propensities !== undefined) {
    throw new UnskewError('USAGE', `--propensities would have no effect beside ${kind}`);
  }
  return {
    kind,
    learning: {
      ...flags,
      seed: flags.seed ?? 1,
    },
  };
}

function refuse(flags: Partial<LearningOptions>, used: readonly string[], beside: string): void {
  for (const flag of new Set(Object.values(LEARNED_BY).flat())) {
    if (flags[flag] === undefined || used.includes(flag)) continue;
    throw new UnskewError('USAGE', `--${flag} would have no effect beside ${beside}`);
  }
}
