import type { Command } from 'commander';
import { readConfig } from '../../config.js';
import { planOf } from '../export/plan.js';
import { wholeNumber } from './arguments.js';
import type { DemoOptions } from './options.js';
import { configListing } from './print-config.js';
import type { ProgramContext } from './program-context.js';
import { addSettings, settingsOf } from './settings.js';

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
  program
    .command('demo')
    .description('the same service on an embedded broker with simulated traffic of known truth')
    .option('--host <address>', 'address to listen on', http.host)
    .option('--port <number>', 'port to listen on; 0 for any', wholeNumber(0, 65_535), http.port)
    .option('--seed <number>', 'seed of the traffic', wholeNumber(0, 2 ** 32 - 1), 1)
    .action(async (options: DemoOptions) => bodies.demo(options, io));

  const config = program
    .command('config')
    .description('prints the effective configuration, and where each value comes from');
  addSettings(config).action(() => {
    const { entries, warnings } = settingsOf(config, env);
    io.stdout(configListing(entries));
    for (const warning of warnings) io.stderr(`warning: ${warning}\n`);
  });
}
