import type { Logger } from 'pino';

export type { Logger };

/** What a command may touch of the process that runs it. */
export interface CommandIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether people watch standard error: progress is drawn for them only. */
  readonly isTerminal: boolean;
  /** Whether what goes to standard output may be coloured. */
  readonly hasColor: boolean;
  /** Aborted when the process is asked to stop. */
  readonly signal: AbortSignal;
}

/** Input and output of commands that log. */
export interface LoggedIo extends CommandIo {
  readonly log: Logger;
}

/** The same before a command has begun: what prints its help alone does not wait for a log. */
export interface ProgramIo extends CommandIo {
  readonly openLog: () => Promise<Logger>;
}

/**
 * Whether a stream shows colours: a terminal does, unless `NO_COLOR` (no-color.org) or
 * `FORCE_COLOR=0` is set; other streams only with `FORCE_COLOR`. `NO_COLOR` takes precedence.
 *
 * @param env the environment; an empty value counts as unset @param isTerminal whether the stream
 * is a terminal
 * @example showsColor({ NO_COLOR: '1' }, true); // false
 */
export function showsColor(
  env: Readonly<Record<string, string | undefined>>,
  isTerminal: boolean,
): boolean {
  if (env['NO_COLOR']) return false;
  const forced = env['FORCE_COLOR'];
  if (forced) return forced !== '0' && forced !== 'false';
  return isTerminal && env['TERM'] !== 'dumb';
}
