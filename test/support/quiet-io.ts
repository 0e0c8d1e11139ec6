import pino from 'pino';
import type { LoggedIo } from '../../src/commands/cli/io.js';

/** For what is run in process: nothing is printed, and nothing interrupts. */
export const quietIo: LoggedIo = {
  stdout: () => {},
  stderr: () => {},
  isTerminal: false,
  hasColor: false,
  signal: new AbortController().signal,
  log: pino({ level: 'silent' }),
};
