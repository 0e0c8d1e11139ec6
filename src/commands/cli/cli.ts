import { type Command, CommanderError } from 'commander';
import { UnskewError } from '../../errors.js';
import { askedCommand } from './program/commands.js';
import { buildProgram } from './program/program.js';
import type { ProgramContext } from './program-context.js';
import { usageHint } from './usage-hint.js';

const DONE = 0;
const FAILED = 1;
const USAGE = 2;

/**
 * Runs one command line and returns its exit code: 0 done, 1 failed, 2 usage or configuration,
 * 3 too many faulty events. What the user can fix goes to standard error without a stack trace.
 */
export async function runCommandLine(
  argv: readonly string[],
  context: ProgramContext,
): Promise<number> {
  const asked = askedCommand(argv);
  // To load the flags of all would take most of the time that help may take.
  const program = await buildProgram(context, (name) => name === asked);
  try {
    if (asked !== undefined && !isHelp(argv)) {
      (await import('./joined-lists.js')).refuseParted(argv);
    }
    await program.parseAsync(argv, { from: 'user' });
    return DONE;
  } catch (error) {
    return tell(error, program, context);
  }
}

function isHelp(argv: readonly string[]): boolean {
  return argv[0] === 'help' || argv.includes('--help') || argv.includes('-h');
}

async function tell(error: unknown, program: Command, context: ProgramContext): Promise<number> {
  const { io } = context;
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return DONE;
    // Without a command the help has been printed, which says more than a line could.
    if (error.code !== 'commander.help') {
      const all = () => buildProgram(context, () => true);
      io.stderr(`unskew: ${usageLine(error.message)}${await usageHint(program, error, all)}\n`);
    }
    return USAGE;
  }
  if (error instanceof UnskewError) {
    io.stderr(`unskew: ${error.message}\n`);
    return error.exitCode;
  }
  if (io.signal.aborted) {
    io.stderr('unskew: stopped before the end\n');
    return FAILED;
  }
  const { sourceTrace } = await import('../output/source-trace.js');
  const trace = error instanceof Error ? sourceTrace(error) : String(error);
  io.stderr(`unskew: a fault of the program, please report it\n${trace}\n`);
  return FAILED;
}

function usageLine(message: string): string {
  return message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}
