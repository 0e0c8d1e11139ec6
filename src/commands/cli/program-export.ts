import type { Command } from 'commander';
import { UnskewError } from '../../errors.js';
import { eventTime, maxFaultsOption } from './arguments.js';
import type { ProgramContext } from './bodies.js';
import { eventPaths } from './event-paths.js';
import { addSettings, settingsOf } from './settings.js';

interface ExportFlags {
  readonly events?: string[];
  readonly train?: string[];
  readonly rows?: string;
  readonly from?: number;
  readonly to?: number;
  readonly out?: string;
  readonly fromManifest?: string;
  readonly verify?: string;
  readonly json?: boolean;
  readonly maxFaults: number;
}

/** Add `export`: draws debiased test sets from event files or Kafka. */
export function addExport(command: Command, { io, env, bodies }: ProgramContext): void {
  command
    .option('--events <files...>', 'event files to draw from (default: the interactions topic)')
    .option(
      '--train <files...>',
      'event files for the train part (only their counts are used), instead of --split',
    )
    .option('--rows <folder>', 'tables that `unskew sql` made of events, instead of --events')
    .option('--from <time>', 'first event time: ISO 8601, or ms since the epoch', eventTime)
    .option('--to <time>', 'event time before which the range ends', eventTime)
    .option('--out <place>', 'where to write the set: a folder or s3://bucket/name')
    .option(
      '--from-manifest <place>',
      'make a set again from its manifest, folder or s3:// address',
    )
    .option('--verify <place>', 'check the files of a set against its manifest')
    .option('--json', 'print the manifest')
    .addOption(maxFaultsOption());
  addSettings(command).action(async (flags: ExportFlags) => {
    const { from = null, to = null, json = false, maxFaults } = flags;
    const { config, entries, warnings } = await settingsOf(command, env);
    for (const warning of warnings) {
      io.stderr(`warning: ${warning}\n`);
    }
    const { rows } = flags;
    if (rows !== undefined && flags.events !== undefined) {
      throw new UnskewError('USAGE', '--events would have no effect beside --rows');
    }
    const given = eventPaths(rows === undefined ? (flags.events ?? []) : [rows]);
    const events = rows === undefined ? given : await bodies.rowFiles(given);
    const train = eventPaths(flags.train ?? []);
    if ([...events, ...train].includes('-')) {
      throw new UnskewError(
        'USAGE',
        'export reads its files twice, so it cannot read standard input (-): name a file',
      );
    }
    const { out, verify, fromManifest } = flags;
    if (verify !== undefined) {
      refuseBeside(command, '--verify', ['config', 'set', 'verify']);
      await bodies.verifyExport(
        {
          config,
          place: verify,
        },
        io,
      );
      return;
    }
    if (out === undefined)
      throw new UnskewError('USAGE', 'expected --out, the place to write the set to');
    if (fromManifest !== undefined) {
      const used = ['config', 'set', 'fromManifest', 'events', 'out', 'json', 'memory'];
      refuseBeside(command, '--from-manifest', used);
      await bodies.remakeSet(
        {
          config,
          manifest: fromManifest,
          events,
          out,
          json,
        },
        io,
      );
      return;
    }
    await bodies.exportSet(
      {
        config,
        entries,
        events,
        train,
        from,
        to,
        out,
        maxFaults,
        json,
      },
      io,
    );
  });
}

/**
 * Reject every flag that was given beside `flag`, except those in `used`. The reason is that `flag`
 * takes all settings from a manifest.
 *
 * @throws UnskewError USAGE for a flag that would have no effect
 */
function refuseBeside(command: Command, flag: string, used: readonly string[]): void {
  for (const option of command.options) {
    const name = option.attributeName();
    if (used.includes(name) || command.getOptionValueSource(name) !== 'cli') continue;
    throw new UnskewError('USAGE', `${option.long} would have no effect beside ${flag}`);
  }
}
