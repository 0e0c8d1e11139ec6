import type { CommandBodies } from './bodies.js';
import type { ProgramIo } from './io.js';

/** What the commands run with. */
export interface ProgramContext {
  readonly io: ProgramIo;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly bodies: CommandBodies;
}
