import type { Command } from 'commander';
import type { ConfigEntry } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { RATING_METRICS, ratingMetricOf } from '../../estimators/metrics/rating-metrics.js';
import { METRICS, metricOf } from '../../estimators/metrics/registry.js';
import { ESTIMATORS, estimatorOf } from '../../estimators/rules/registry.js';
import { mappingOf, mappingsOf } from '../../events/mapping/named-mappings.js';
import { QUESTION_FLAGS } from '../../features/names.js';
import { maxFaultsOption, wholeNumber } from './arguments.js';
import type { ProgramContext } from './bodies.js';
import { type EventFlags, eventFiles, eventPaths, refuseToReplace } from './event-paths.js';
import { addSettings, settingsOf } from './settings.js';
import { heading, word } from './style.js';

interface FileFlags extends EventFlags {
  readonly rows?: string;
  readonly html?: string;
  readonly out?: string;
  readonly json?: boolean;
  readonly all?: boolean;
  readonly maxFaults: number;
}

interface ValidateFlags extends EventFlags {
  readonly maxFaults: number;
  readonly maxReported: number;
}

interface ReplayFlags extends FileFlags {
  readonly partitions: number;
}

const PARTITIONS = wholeNumber(1, 1000);
const FILES = 'event files, same as --events';
const COUNT = wholeNumber(0, Number.MAX_SAFE_INTEGER);

/** Add `evaluate`: computes one window over all events of files. */
export function addEvaluate(command: Command, { io, env, bodies }: ProgramContext): void {
  command
    .argument('[files...]', FILES)
    .option(
      '--events <files...>',
      'event files to evaluate (.ndjson, .ndjson.gz, .parquet, .csv), or folders of them; - is standard input',
    )
    .option('--train <files...>', 'event files used only for popularity and the fit of γ')
    .option(
      '--rows <folder>',
      'evaluate tables that `unskew sql` made of events, instead of event files',
    )
    .option('--html <file>', 'write a report as one HTML file')
    .option('--out <file>', 'write all numbers and verdicts as a table (.parquet, .csv)');
  for (const { name, help } of QUESTION_FLAGS) {
    command.option(`--${name}`, help);
  }
  addFileFlags(command, 'print one JSON object');
  addSettings(command).addHelpText('after', () => namesHelp(heading, word));
  command.action(async (files: string[], flags: FileFlags) => {
    const { html, out, maxFaults } = flags;
    const questions = QUESTION_FLAGS.map(({ name }) => name).filter((name) => name in flags);
    const form = formOf(flags);
    const train = eventPaths(flags.train ?? []);
    const isOfRows = flags.rows !== undefined;
    const events = isOfRows ? eventPaths([flags.rows]) : eventFiles(files, flags);
    refuseToReplace({ html, out }, [...train, ...events]);
    const { config, entries, warnings } = await settingsOf(command, env);
    if (isOfRows) {
      refuseBesideRows([...files, ...(flags.events ?? []), ...train], entries);
    }
    for (const warning of warnings) {
      io.stderr(`warning: ${warning}\n`);
    }
    const asked = {
      events,
      train,
      html,
      out,
      questions,
      ...(isOfRows && { isOfRows }),
    };
    await bodies.evaluate(
      {
        ...asked,
        ...form,
        maxFaults,
        config,
      },
      io,
    );
  });
}

/** Matches the paths of settings that `unskew sql` has already applied when it made the rows. */
const IN_ROWS = /^(events|attribution|positive|time)\./;

/**
 * Reject what cannot be combined with `--rows`.
 *
 * @throws UnskewError USAGE for event files, and for a flag that `unskew sql` takes instead
 */
function refuseBesideRows(files: readonly string[], entries: readonly ConfigEntry[]): void {
  if (files.length > 0) {
    throw new UnskewError(
      'USAGE',
      `${files[0]}: --rows cannot be combined with event files; popularity comes from the rows`,
    );
  }
  const late = entries.find(({ path, origin }) => IN_ROWS.test(path) && origin.startsWith('--'));
  if (late === undefined) return;
  const { origin, path } = late;
  throw new UnskewError(
    'USAGE',
    `${origin} has no effect here: ${path} is already part of the rows. Set it when you run unskew sql`,
  );
}

/** Add `replay`: runs the streaming pipeline over event files. */
export function addReplay(command: Command, { io, env, bodies }: ProgramContext): void {
  command
    .argument('[files...]', FILES)
    .option('--events <files...>', 'event files, in reading order; - is standard input')
    .option('--partitions <number>', 'number of partitions to split the users into', PARTITIONS, 1);
  addFileFlags(command, 'print one line of JSON for each closed window');
  addSettings(command).addHelpText('after', () => namesHelp(heading, word));
  command.action(async (files: string[], flags: ReplayFlags) => {
    const { partitions, maxFaults } = flags;
    const form = formOf(flags);
    const events = eventFiles(files, flags);
    const { config, warnings } = await settingsOf(command, env);
    for (const warning of warnings) {
      io.stderr(`warning: ${warning}\n`);
    }
    await bodies.replay(
      {
        events,
        partitions,
        ...form,
        maxFaults,
        config,
      },
      io,
    );
  });
}

/** Add `validate`: reports what is wrong in event files. */
export function addValidate(command: Command, { io, env, bodies }: ProgramContext): void {
  command
    .argument('[files...]', FILES)
    .option(
      '--events <files...>',
      'event files (.ndjson, .ndjson.gz, .parquet, .csv), or folders of them; - is standard input',
    )
    .option(
      '--max-faults <number>',
      'exit with code 3 if there are more invalid events than this',
      COUNT,
      0,
    )
    .option('--max-reported <number>', 'maximum number of invalid events to print', COUNT, 100);
  addSettings(command);
  command.action(async (given: string[], flags: ValidateFlags) => {
    const files = eventFiles(given, flags);
    const { config, warnings } = await settingsOf(command, env);
    for (const warning of warnings) {
      io.stderr(`warning: ${warning}\n`);
    }
    const { maxBytes, mapping, files: named } = config.events;
    const { fileProgress } = await import('../../outputs/text/progress.js');
    const progress = fileProgress(io, files);
    const options = {
      maxEventBytes: maxBytes,
      maxFutureMs: config.time.maxFutureMs,
      referenceTs: Date.now(),
      maxReported: flags.maxReported,
      onProgress: progress.update,
      lists: config.intake.lists,
      ...(mapping === undefined ? {} : { mapping: mappingOf(mapping) }),
      ...(named === undefined ? {} : { files: mappingsOf(named) }),
    };
    const counts = await bodies
      .validateFiles(files, options, (line) => io.stdout(`${line}\n`))
      .finally(() => progress.stop());
    if (counts.faulty > flags.maxFaults) {
      const allowed = `${flags.maxFaults} allowed by --max-faults`;
      throw new UnskewError('FAULTS', `${counts.faulty} invalid events, ${allowed}`);
    }
  });
}

function addFileFlags(command: Command, json: string): void {
  command
    .addOption(maxFaultsOption())
    .option('--all', 'print every estimate and finding, after the verdict and the ranking')
    .option('--json', json);
}

/**
 * Form of the output from its flags.
 *
 * @throws UnskewError USAGE for `--all` with `--json`, which always has all results
 */
function formOf({ json = false, all = false }: FileFlags) {
  if (json && all) throw new UnskewError('USAGE', '--all would have no effect beside --json');
  return { json, all };
}

/** Describe estimators and metrics, one line each, for the help of commands that compute them. */
function namesHelp(title: (text: string) => string, name: (text: string) => string): string {
  const block = (heading: string, rows: readonly (readonly [string, string])[]) => {
    const width = Math.max(...rows.map(([own]) => own.length)) + 2;
    const lines = rows.map(
      ([own, words]) => `  ${name(own)}${' '.repeat(width - own.length)}${words}`,
    );
    return [title(heading), ...lines, ''];
  };
  return [
    '',
    ...block(
      'Estimators:',
      ESTIMATORS.map((own) => [own, estimatorOf(own).inWords]),
    ),
    ...block('Metrics:', [
      ...METRICS.map((own) => [own, metricOf(own).inWords] as const),
      ...RATING_METRICS.map((own) => [own, ratingMetricOf(own).inWords] as const),
    ]),
  ].join('\n');
}
