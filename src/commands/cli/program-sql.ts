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
import type { ProgramContext } from './bodies.js';
import { addSettings, settingsOf } from './settings.js';

interface SqlFlags {
  readonly dialect: Dialect;
  readonly kind: Kind;
}

/** `sql`: the queries that make rows of tables of events. */
export function addSql(command: Command, { io, env }: ProgramContext): void {
  const required = (flags: string, help: string, names: readonly string[]) =>
    new Option(flags, help).choices(names).makeOptionMandatory();
  command
    .addOption(required('--dialect <name>', 'the engine that runs it', DIALECTS))
    .addOption(required('--kind <name>', 'which table of unskew/rows@1 it makes', KINDS));
  addSettings(command).action(async ({ dialect, kind }: SqlFlags) => {
    const { config, warnings } = await settingsOf(command, env);
    for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
    io.stdout(rowsQuery(dialect, kind, rowSettings(monitorOptions(config))));
  });
}
