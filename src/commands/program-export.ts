import type { Command } from 'commander';
import { UnskewError } from '../errors.js';
import { eventTime, wholeNumber } from './arguments.js';
import type { ProgramContext } from './program.js';
import { addSettings, EVENT_FLAGS, EXPORT_FLAGS, settingsOf } from './settings.js';

interface ExportFlags {
  readonly events?: string[];
  readonly train?: string[];
  readonly from?: number;
  readonly to?: number;
  readonly out?: string;
  readonly json?: boolean;
  readonly maxFaults: number;
}

const FLAGS = [...EXPORT_FLAGS, ...EVENT_FLAGS];

/** `export`: sets from event files or Kafka. */
export function addExportCommand(program: Command, { io, env, bodies }: ProgramContext): void {
  const command = program
    .command('export')
    .description('a debiased test set, drawn from event files or from a range of Kafka')
    .option('--events <files...>', 'event files to draw from (default: the interactions topic)')
    .option('--train <files...>', 'event files that give the counts only, instead of --split')
    .option('--from <time>', 'first event time: ISO 8601, or ms since the epoch', eventTime)
    .option('--to <time>', 'event time that the range ends before', eventTime)
    .option('--out <place>', 'folder of the set, or s3://bucket/name')
    .option('--json', 'print the manifest')
    .option(
      '--max-faults <number>',
      'end with code 3 above so many faulty events (default: any number)',
      wholeNumber(0, Number.MAX_SAFE_INTEGER),
    );
  command.setOptionValueWithSource('maxFaults', Number.POSITIVE_INFINITY, 'default');
  addSettings(command, FLAGS).action(async (flags: ExportFlags) => {
    const { events = [], train = [], from = null, to = null, json = false, maxFaults } = flags;
    const { config, entries } = settingsOf(command, env, FLAGS);
    const out = flags.out;
    if (out === undefined) throw new UnskewError('USAGE', 'expected --out');
    await bodies.exportSet({ config, entries, events, train, from, to, out, maxFaults, json }, io);
  });
}
