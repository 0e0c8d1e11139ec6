import { type Command, Option } from 'commander';
import {
  DIALECTS,
  type Dialect,
  KINDS,
  type Kind,
  rowSettings,
  rowsQuery,
} from '../files/rows-query.js';
import { monitorOptions } from '../service/monitor-options.js';
import { eventTime } from './arguments.js';
import type { ProgramContext } from './bodies.js';
import { eventPaths } from './event-paths.js';
import { addSettings, settingsOf } from './settings.js';

interface BackfillFlags {
  readonly rows: string;
  readonly since?: number;
}

/** Add `backfill`: computes past windows from the tables that the queries of `sql` make. */
export function addBackfill(command: Command, { io, env, bodies }: ProgramContext): void {
  command
    .requiredOption('--rows <folder>', 'tables that `unskew sql` made of past events')
    .option(
      '--since <time>',
      'compute windows that end at or after this time; earlier rows still count',
      eventTime,
    );
  addSettings(command).action(async ({ rows, since }: BackfillFlags) => {
    const { config, warnings } = await settingsOf(command, env);
    for (const warning of warnings) {
      io.stderr(`warning: ${warning}\n`);
    }
    await bodies.backfill(
      {
        config,
        rows: eventPaths([rows]),
        since,
      },
      io,
    );
  });
}

interface SqlFlags {
  readonly dialect: Dialect;
  readonly kind: Kind;
}

/** Add `sql`: prints queries that make the tables of `unskew/rows@1` from tables of events. */
export function addSql(command: Command, { io, env }: ProgramContext): void {
  const required = (flags: string, help: string, names: readonly string[]) =>
    new Option(flags, help).choices(names).makeOptionMandatory();
  command
    .addOption(required('--dialect <name>', 'the SQL engine to write the query for', DIALECTS))
    .addOption(required('--kind <name>', 'which table of unskew/rows@1 to make', KINDS));
  addSettings(command).action(async ({ dialect, kind }: SqlFlags) => {
    const { config, warnings } = await settingsOf(command, env);
    for (const warning of warnings) {
      io.stderr(`warning: ${warning}\n`);
    }
    io.stdout(rowsQuery(dialect, kind, rowSettings(monitorOptions(config))));
  });
}
