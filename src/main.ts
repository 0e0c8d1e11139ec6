#!/usr/bin/env node
import { randomBytes } from 'node:crypto';
import { BODIES } from './commands/cli/bodies.js';
import { runCommandLine } from './commands/cli/cli.js';
import { showsColor } from './commands/cli/io.js';
import { keyTables } from './events/hash.js';

keyTables(new Int32Array(new Uint8Array(randomBytes(12)).buffer));

const stop = new AbortController();
for (const name of ['SIGINT', 'SIGTERM'] as const) {
  process.on(name, () => {
    // On a second signal, exit without waiting for a clean end.
    if (stop.signal.aborted) {
      process.exit(1);
    }
    stop.abort();
  });
}

// A pipe that closes early (`| head`) is not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
    process.exit(0);
  });
}

process.exitCode = await runCommandLine(process.argv.slice(2), {
  env: process.env,
  bodies: BODIES,
  io: {
    stdout: (text) => process.stdout.write(text),
    stderr: (text) => process.stderr.write(text),
    isTerminal: process.stderr.isTTY === true,
    hasColor: showsColor(process.env, process.stdout.isTTY === true),
    signal: stop.signal,
    openLog: async () => {
      const { openLog } = await import('./commands/cli/open-log.js');
      const hasColor = showsColor(process.env, process.stderr.isTTY === true);
      const write = (text: string) => process.stderr.write(text);
      return openLog({
        isTerminal: process.stderr.isTTY === true,
        hasColor,
        write,
      });
    },
  },
});

// A connection that does not close must not keep a process running that was stopped or has failed.
if (stop.signal.aborted || process.exitCode === 1) {
  setTimeout(() => process.exit(), 1_000).unref();
}
