import { type Command, Option } from 'commander';
import { ROLES, type Role } from '../../config/roles.js';
import type { ProgramContext } from './bodies.js';
import { addSettings, settingsOf } from './settings.js';

interface RoleFlag {
  readonly role?: Role;
}

function roleOption(): Option {
  const what = 'tick: state of processes with --role tick (default: state of all other processes)';
  return new Option('--role <role>', what).choices(ROLES);
}

/** Add `state`: shows and moves the stored state of a service. */
export function addState(state: Command, { io, env, bodies }: ProgramContext): void {
  const inspect = state
    .command('inspect')
    .description('show what is stored for each partition, and the effect of changed settings on it')
    .option('--json', 'print it as JSON');
  addSettings(inspect.addOption(roleOption())).action(
    async ({ json = false, role }: RoleFlag & { json?: boolean }) =>
      bodies.inspectState(
        {
          config: (await settingsOf(inspect, env)).config,
          role,
          json,
        },
        io,
      ),
  );

  const verify = state
    .command('verify')
    .description('check all stored checkpoints; exit with code 1 if one is damaged or missing')
    .argument('[file]', 'check an exported file instead of the store');
  addSettings(verify.addOption(roleOption())).action(
    async (file: string | undefined, { role }: RoleFlag) =>
      bodies.verifyState(
        {
          config: (await settingsOf(verify, env)).config,
          role,
          file,
        },
        io,
      ),
  );

  const exporting = state
    .command('export')
    .description('copy the state of all partitions to a file; the service can keep running')
    .argument('<place>', 'the file, or a folder to write it into');
  addSettings(exporting.addOption(roleOption())).action(async (out: string, { role }: RoleFlag) =>
    bodies.exportState(
      {
        config: (await settingsOf(exporting, env)).config,
        role,
        out,
      },
      io,
    ),
  );

  const importing = state
    .command('import')
    .description('load an exported file into the store, while no service runs')
    .argument('<file>', 'the exported file')
    .option('--replace', 'replace existing state');
  addSettings(importing.addOption(roleOption())).action(
    async (file: string, { replace = false, role }: RoleFlag & { replace?: boolean }) => {
      const { config } = await settingsOf(importing, env);
      await bodies.importState(
        {
          config,
          role,
          file,
          replace,
        },
        io,
      );
    },
  );
}

/** Add `forget`: deletes a user from everything that a service stores. */
export function addForget(command: Command, { io, env, bodies }: ProgramContext): void {
  command.argument('<user>', 'id of the user, as in the events; stop the service first');
  addSettings(command).action(async (user: string) =>
    bodies.forget(
      {
        config: (await settingsOf(command, env)).config,
        user,
      },
      io,
    ),
  );
}
