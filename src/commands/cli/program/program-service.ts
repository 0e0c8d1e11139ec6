import type { Command } from 'commander';
import { jsonSchema as configSchema } from '../../../config/json-schema.js';
import { KEYS, readConfig } from '../../../config.js';
import { DEMO_BACKLOG_CYCLES, DEMO_TRAFFIC } from '../../../simulation/options.js';
import { planOf } from '../../export/plan.js';
import type { DemoOptions } from '../options.js';
import { configListing } from '../print-config.js';
import type { ProgramContext } from '../program-context.js';
import { wholeNumber } from './arguments.js';
import { addSettings, settingsOf } from './settings.js';
import { addServingFlags, type ServingFlags, servingOf } from './simulation-flags.js';

type DemoFlags = Pick<DemoOptions, 'host' | 'port' | 'seed' | 'users' | 'backlog'> & ServingFlags;

interface ConfigFlags {
  readonly describe?: boolean;
  readonly jsonSchema?: boolean;
}

/** `serve`, `demo` and `config`. */
export function addServiceCommands(program: Command, { io, env, bodies }: ProgramContext): void {
  const serve = program
    .command('serve')
    .description('the service: Kafka in; metrics, API and page out');
  addSettings(serve).action(async () => {
    const { config, entries, warnings } = settingsOf(serve, env);
    if (config.export.out !== undefined) {
      planOf(config, entries, { from: null, to: null, hasTrain: false });
    }
    io.log.level = config.log.level;
    for (const warning of warnings) io.log.warn(warning);
    await bodies.serve(config, io);
  });

  const { http } = readConfig({ env: {} }).config;
  const demo = program
    .command('demo')
    .description('the same service on an embedded broker with simulated traffic of known truth')
    .option('--host <address>', 'address to listen on', http.host)
    .option('--port <number>', 'port to listen on; 0 for any', wholeNumber(0, 65_535), http.port)
    .option('--seed <number>', 'seed of the traffic', wholeNumber(0, 2 ** 32 - 1), 1)
    .option(
      '--users <number>',
      'number of simulated users, who visit once a minute',
      wholeNumber(1, 1_000_000),
      DEMO_TRAFFIC.users,
    )
    .option(
      '--backlog <minutes>',
      'minutes of traffic that are there at once',
      wholeNumber(1, 60),
      DEMO_BACKLOG_CYCLES,
    );
  addServingFlags(demo, DEMO_TRAFFIC.causedShare).action(async (flags: DemoFlags) =>
    bodies.demo(servingOf(flags), io),
  );

  const config = program
    .command('config')
    .description('prints the effective configuration, and where each value comes from')
    .option('--describe', 'say above each value what it means and what may be written')
    .option('--json-schema', 'print what a file may hold as JSON Schema, for editors');
  addSettings(config).action(({ describe, jsonSchema }: ConfigFlags) => {
    if (jsonSchema === true) {
      io.stdout(`${JSON.stringify(configSchema(KEYS), null, 2)}\n`);
      return;
    }
    const { entries, warnings } = settingsOf(config, env);
    io.stdout(configListing(entries, describe));
    for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
  });
}
