import { type Command, CommanderError } from 'commander';
import { UnskewError } from '../../errors.js';
import { sourceTrace } from '../output/source-trace.js';
import { refuseParted } from './joined-lists.js';
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
  const program = buildProgram(context);
  try {
    refuseParted(argv);
    await program.parseAsync(argv, { from: 'user' });
    return DONE;
  } catch (error) {
    return tell(error, program, context);
  }
}

function tell(error: unknown, program: Command, { io }: ProgramContext): number {
  if (error instanceof CommanderError) {
    if (error.exitCode === 0) return DONE;
    // Without a command the help has been printed, which says more than a line could.
    if (error.code !== 'commander.help') {
      io.stderr(`unskew: ${usageLine(error.message)}${usageHint(program, error)}\n`);
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
