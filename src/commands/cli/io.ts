import type { Logger } from 'pino';

export type { Logger };

/** Parts of the process that a command may use. */
export interface CommandIo {
  readonly stdout: (text: string) => void;
  readonly stderr: (text: string) => void;
  /** Whether standard error is a terminal, for which progress is drawn. */
  readonly isTerminal: boolean;
  /** Whether standard output may be coloured. */
  readonly hasColor: boolean;
  /** Aborted when the process is asked to stop. */
  readonly signal: AbortSignal;
}

/** Input and output of commands that log. */
export interface LoggedIo extends CommandIo {
  readonly log: Logger;
}

/** Input and output before a command runs, with the log opened on demand. */
export interface ProgramIo extends CommandIo {
  readonly openLog: () => Promise<Logger>;
}

/**
 * Whether a stream shows colours: a terminal does, unless `NO_COLOR` (no-color.org) or
 * `FORCE_COLOR=0` is set; other streams only with `FORCE_COLOR`. `NO_COLOR` takes precedence.
 *
 * @param env the environment; an empty value counts as unset
 * @param isTerminal whether the stream is a terminal
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
