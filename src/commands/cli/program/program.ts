import { Command } from 'commander';
import type { ProgramContext } from '../program-context.js';
import { packageVersion } from '../version.js';
import { addExportCommand } from './program-export.js';
import { addFileCommands } from './program-files.js';
import { addPropensitiesCommand } from './program-propensities.js';
import { addServiceCommands } from './program-service.js';
import { addSourceCommands } from './program-sources.js';
import { addStateCommands } from './program-state.js';
import { addTrainCommand } from './program-train.js';

const EXAMPLES = `
Examples:
  unskew demo                                 the service on simulated traffic, no Kafka needed
  unskew serve --config unskew.yaml           the service on Kafka
  unskew evaluate --train a.ndjson --events b.ndjson
  unskew validate events.ndjson.gz
`;

/** The command line: every command with its flags. Faults are thrown, nothing ends the process. */
export function buildProgram(context: ProgramContext): Command {
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
  addServiceCommands(program, context);
  addFileCommands(program, context);
  addExportCommand(program, context);
  addPropensitiesCommand(program, context);
  addSourceCommands(program, context);
  addTrainCommand(program, context);
  addStateCommands(program, context);
  return program;
}
