import { Command } from 'commander';
import type { ProgramContext } from './bodies.js';
import { COMMANDS, START } from './commands.js';
import { showsColor } from './io.js';
import { HELP_STYLE, heading } from './style.js';
import { packageVersion } from './version.js';

const EXAMPLES = `
${heading('Examples:')}
  unskew demo                                 the service on simulated traffic, no Kafka needed
  unskew evaluate --train a.ndjson --events b.ndjson
  unskew validate events.ndjson.gz
  unskew serve --config unskew.yaml           the service on Kafka

unskew evaluate --help names the estimators and the metrics, with a line on each.
`;

/**
 * Build the command-line parser with every command. Only `wanted` ones get arguments and flags.
 * Errors are thrown; nothing exits the process.
 */
export async function buildProgram(
  context: ProgramContext,
  wanted: (name: string) => boolean,
): Promise<Command> {
  const { io } = context;
  const program = new Command('unskew')
    .description('Live, debiased offline metrics for recommender systems.')
    .version(packageVersion(), '-V, --version', 'print the version')
    .exitOverride()
    .configureOutput({
      writeOut: (text) => io.stdout(text),
      writeErr: (text) => io.stderr(text),
      // Errors are reported where they are caught.
      outputError: () => {},
      getOutHelpWidth: () => 100,
      getErrHelpWidth: () => 100,
      getOutHasColors: () => io.hasColor,
      getErrHasColors: () => showsColor(context.env, io.isTerminal),
    })
    .configureHelp(HELP_STYLE)
    .helpOption('-h, --help', 'print this help')
    .commandsGroup(START)
    .helpCommand('help [command]', 'show what a command does, and its flags')
    .addHelpText('after', EXAMPLES);
  for (const { name, group, summary, load } of COMMANDS) {
    const command = program.command(name).description(summary).helpGroup(group);
    if (wanted(name)) {
      (await load())(command, context);
    }
  }
  return program;
}
