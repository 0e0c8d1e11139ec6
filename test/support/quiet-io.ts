import pino from 'pino';
import type { CommandIo } from '../../src/commands/cli/io.js';

/** For what is run in process: nothing is printed, and nothing interrupts. */
export const quietIo: CommandIo = {
  stdout: () => {},
  stderr: () => {},
  isTerminal: false,
  signal: new AbortController().signal,
  log: pino({ level: 'silent' }),
};
