import pino from 'pino';
import type { CommandBodies } from '../../../src/commands/cli/bodies.js';
import { runCommandLine } from '../../../src/commands/cli/cli.js';
import { showsColor } from '../../../src/commands/cli/io.js';

export interface Run {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command line in this process; a body that is not given fails the test by being called. */
export async function run(
  argv: readonly string[],
  bodies: Partial<CommandBodies> = {},
  env: Readonly<Record<string, string>> = {},
  signal: AbortSignal = new AbortController().signal,
): Promise<Run> {
  let stdout = '';
  let stderr = '';
  const unexpected = new Proxy(bodies as CommandBodies, {
    get: (given, name: keyof CommandBodies) =>
      given[name] ??
      (() => {
        throw new Error(`${name} was called`);
      }),
  });
  const code = await runCommandLine(argv, {
    env,
    bodies: unexpected,
    io: {
      stdout: (text) => {
        stdout += text;
      },
      stderr: (text) => {
        stderr += text;
      },
      isTerminal: false,
      hasColor: showsColor(env, false),
      signal,
      openLog: async () => pino({ level: 'silent' }),
    },
  });
  return { code, stdout, stderr };
}
