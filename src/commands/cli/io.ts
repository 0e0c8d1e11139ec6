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

/** The same for what logs. */
export interface LoggedIo extends CommandIo {
  readonly log: Logger;
}

/** The same before a command has begun: what prints its help alone does not wait for a log. */
export interface ProgramIo extends CommandIo {
  readonly openLog: () => Promise<Logger>;
}
