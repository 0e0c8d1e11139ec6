import type { CommandBodies } from './bodies.js';
import type { CommandIo } from './io.js';

/** What the commands run with. */
export interface ProgramContext {
  readonly io: CommandIo;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bodies: CommandBodies;
}
