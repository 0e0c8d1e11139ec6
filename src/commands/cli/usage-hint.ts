import type { Command, CommanderError } from 'commander';

/**
 * What was most likely meant, to follow the line of a wrong call; empty if nothing is known.
 *
 * @param program as it was called
 * @param all the program with the flags of all its commands
 */
export async function usageHint(
  program: Command,
  { code, message }: CommanderError,
  all: () => Promise<Command>,
): Promise<string> {
  if (code === 'commander.unknownOption') return elsewhere(await all(), message);
  if (code === 'commander.excessArguments') return withFlag(program, message);
  return '';
}

/** A flag of other commands. */
function elsewhere(program: Command, message: string): string {
  const flag = /unknown option '(--[^'=]+)/.exec(message)?.[1];
  const commands = program.commands.filter((command) =>
    command.options.some(({ long }) => long === flag),
  );
  if (flag === undefined || commands.length === 0) return '';
  return `; ${flag} is a flag of ${commands.map((command) => command.name()).join(', ')}`;
}

/** A file of the configuration, or of events, without its flag. */
function withFlag(program: Command, message: string): string {
  const name = /arguments for '([^']+)'/.exec(message)?.[1];
  const file = program.commands.find((command) => command.name() === name)?.args[0];
  if (file === undefined) return '';
  if (/\.(ya?ml|json)$/.test(file)) return ` A configuration is given by --config ${file}.`;
  return name === 'export' ? ` Event files are named by --events ${file}.` : '';
}
