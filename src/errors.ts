/**
 * Every error that a user can meet has a code here, and the code says what the process exits with.
 * An error without a code is a fault of the program and keeps its stack trace.
 */
export const ERROR_CODES = {
  /** Wrong flag, wrong configuration, a metric or estimator that is refused: fix the call. */
  USAGE: { exitCode: 2 },
  /** A file or folder that cannot be read or written. */
  FILE: { exitCode: 1 },
  /** The broker cannot be reached or refuses: try again later. */
  BROKER: { exitCode: 1 },
  /** The store of checkpoints cannot be reached or refuses, or holds what cannot be used. */
  STATE: { exitCode: 1 },
  /** The port is taken or the address is not ours. */
  LISTEN: { exitCode: 1 },
  /** Event files without an event that could be evaluated, or with more than there is memory for. */
  EVENTS: { exitCode: 1 },
  /** More invalid events than `--max-faults` allows. */
  FAULTS: { exitCode: 3 },
  /** A set that cannot be drawn from what there is, or that is not what its manifest says. */
  SET: { exitCode: 1 },
  /** A fit without a single solution, or that does not come to one. */
  FIT: { exitCode: 1 },
  /** The user stopped it: what was being made was not finished. */
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

/** A checkpoint that was cut short or changed: an older one may be whole. */
export class DamagedCheckpoint extends UnskewError {
  constructor(fault: string) {
    super('STATE', `the checkpoint is damaged: ${fault}`);
    this.name = 'DamagedCheckpoint';
  }
}
