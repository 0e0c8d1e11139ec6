/**
 * Codes of all errors that a user can meet, with the exit code of the process. An error without a
 * code is a bug and is printed with its stack trace.
 */
export const ERROR_CODES = {
  /** A flag, a configuration, or a choice of metric or estimator is wrong: fix the call. */
  USAGE: { exitCode: 2 },
  /** A file or folder cannot be read or written. */
  FILE: { exitCode: 1 },
  /** The broker cannot be reached, or rejects a request. */
  BROKER: { exitCode: 1 },
  /** The state store cannot be reached, rejects a request, or contains unusable data. */
  STATE: { exitCode: 1 },
  /** The HTTP port is taken, or the address is not one of this machine. */
  LISTEN: { exitCode: 1 },
  /** Event files have no event that could be evaluated, or more than memory can hold. */
  EVENTS: { exitCode: 1 },
  /** There are more invalid events than `--max-faults` allows. */
  FAULTS: { exitCode: 3 },
  /** A test set cannot be drawn from the events, or differs from its manifest. */
  SET: { exitCode: 1 },
  /** A fit has no unique solution, or does not converge. */
  FIT: { exitCode: 1 },
  /** The user stopped the command before it was finished. */
  INTERRUPTED: { exitCode: 1 },
} as const;

export type ErrorCode = keyof typeof ERROR_CODES;

/** An error that is shown to the user as one line, without a stack trace. */
export class UnskewError extends Error {
  readonly code: ErrorCode;

  constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'UnskewError';
    this.code = code;
  }

  get exitCode(): number {
    return ERROR_CODES[this.code].exitCode;
  }
}

/** Error for a checkpoint that is truncated or altered; an older one may be intact. */
export class DamagedCheckpoint extends UnskewError {
  constructor(fault: string) {
    super('STATE', `the checkpoint is damaged: ${fault}`);
    this.name = 'DamagedCheckpoint';
  }
}
