import { type Command, CommanderError } from 'commander';
import { UnskewError } from '../../errors.js';
import type { ProgramContext } from './bodies.js';
import { askedCommand } from './commands.js';
import { buildProgram } from './program.js';

const DONE = 0;
const FAILED = 1;
const USAGE = 2;

/**
 * Run one command line and return its exit code: 0 done, 1 failed, 2 usage or configuration,
 * 3 too many invalid events. Errors that the user can fix are printed without a stack trace.
 */
export async function runCommandLine(
  argv: readonly string[],
  context: ProgramContext,
): Promise<number> {
  const asked = askedCommand(argv);
  // Loading the flags of all commands would take most of the time that help may take.
  const program = await buildProgram(context, (name) => name === asked);
  try {
    if (asked !== undefined && !isHelp(argv)) {
      (await import('./settings.js')).refuseParted(argv);
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
    // Without a command, the help has been printed instead.
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
    io.stderr('unskew: interrupted before it finished\n');
    return FAILED;
  }
  const { sourceTrace } = await import('../../outputs/text/source-trace.js');
  const trace = error instanceof Error ? sourceTrace(error) : String(error);
  io.stderr(`unskew: internal error, please report it\n${trace}\n`);
  return FAILED;
}

function usageLine(message: string): string {
  return message
    .replace(/^error: /, '')
    .replace(/\s*\n\s*/g, ' ')
    .trim();
}

/**
 * Hint at what a user most likely meant, to follow the error of a wrong call; empty if unknown.
 *
 * @param program with the flags of the command that was called
 * @param all builds the program with the flags of all its commands
 */
async function usageHint(
  program: Command,
  { code, message }: CommanderError,
  all: () => Promise<Command>,
): Promise<string> {
  if (code === 'commander.unknownOption') return elsewhere(await all(), message);
  if (code === 'commander.excessArguments') return withFlag(program, message);
  return '';
}

/** Hint that an unknown flag is a flag of other commands; empty if it is not. */
function elsewhere(program: Command, message: string): string {
  const flag = /unknown option '(--[^'=]+)/.exec(message)?.[1];
  const commands = program.commands.filter((command) =>
    command.options.some(({ long }) => long === flag),
  );
  if (flag === undefined || commands.length === 0) return '';
  return `; ${flag} belongs to ${commands.map((command) => command.name()).join(', ')}`;
}

/**
 * Hint for a file that was given without its flag. The hint names the flag for a configuration, or
 * for event files.
 */
function withFlag(program: Command, message: string): string {
  const name = /arguments for '([^']+)'/.exec(message)?.[1];
  const file = program.commands.find((command) => command.name() === name)?.args[0];
  if (file === undefined) return '';
  if (/\.(ya?ml|json)$/.test(file)) return ` Use --config ${file} to give a configuration.`;
  return name === 'export' ? ` Use --events ${file} to name event files.` : '';
}
