import { Command } from 'commander';
import type { ProgramContext } from '../program-context.js';
import { packageVersion } from '../version.js';
import { COMMANDS } from './commands.js';

const EXAMPLES = `
Examples:
  unskew demo                                 the service on simulated traffic, no Kafka needed
  unskew serve --config unskew.yaml           the service on Kafka
  unskew evaluate --train a.ndjson --events b.ndjson
  unskew validate events.ndjson.gz
`;

/**
 * The command line: every command, with its arguments and flags if it is `wanted`. Faults are
 * thrown, nothing ends the process.
 */
export async function buildProgram(
  context: ProgramContext,
  wanted: (name: string) => boolean,
): Promise<Command> {
  const { io } = context;
  const program = new Command('unskew')
    .description('Live, debiased offline metrics for recommender systems.')
    .version(packageVersion(), '-V, --version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout(text),
      writeErr: (text) => io.stderr(text),
      // Reported once, where it is caught.
      outputError: () => {},
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
    })
    .addHelpText('after', EXAMPLES);
  for (const { name, summary, load } of COMMANDS) {
    const command = program.command(name).description(summary);
    if (wanted(name)) (await load())(command, context);
  }
  return program;
}
