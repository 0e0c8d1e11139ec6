import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { SetFolder } from '../../src/adapters/files/set-folder.js';
import { makeSnapshot } from '../fixtures/snapshot.js';
import { serve } from '../support/http-server.js';
import { smallLookup } from '../support/small-lookup.js';
import { ROOT } from './manifest-checks.js';
import { pythonProgram } from './python-program.js';

/**
 * Holds the API against its own description: schemathesis makes requests that the description allows
 * and those it does not, and looks at what is answered.
 *
 * usage: node --import tsx test/nightly/api-conformance.ts [seconds for each of two services]
 */
const VERSION = '4.32.5';
const TOKEN = 'correct-horse-battery-staple';
/** Fewer would say little. */
const LEAST_CASES = 20;
const seconds = process.argv[2] ?? '300';

/** A service with something at every route, whose runs by hand make nothing. */
async function service(folder: string, token: string | undefined) {
  const storage = new SetFolder(folder);
  const draft = await storage.create('one');
  for (const name of ['test.csv', 'report.html']) {
    const file = await draft.file(name);
    await file.write(Buffer.from('user,item\n'));
    await file.close();
  }
  await draft.commit('{"schema":"unskew/set@1"}');
  const lookup = await smallLookup();
  return serve({
    snapshot: makeSnapshot(),
    token,
    lookup: () => lookup,
    windows: ['short', 'long'],
    exports: {
      storage,
      status: () => ({ running: null, next: 5, overdue: null, lastMade: 4, lastError: null }),
      startNow: async () => {},
      orderOf: ({ name = 'by-hand', from = 10, to = 20 }) => ({ name, from, to }),
    },
  });
}

async function check(program: string, token: string | undefined): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'unskew-api-'));
  const server = await service(join(folder, 'sets'), token);
  try {
    const child = spawn(
      program,
      [
        '--config-file',
        join(ROOT, 'test/nightly/schemathesis.toml'),
        'run',
        `${server.address}/docs/json`,
        '--phases',
        'examples,coverage,fuzzing',
        '--max-time',
        seconds,
        '--seed',
        '1',
        '--no-color',
        '--request-timeout',
        '3',
        ...(token === undefined ? [] : ['--header', `Authorization:Bearer ${token}`]),
      ],
      { stdio: ['ignore', 'pipe', 'inherit'], cwd: folder },
    );
    let said = '';
    child.stdout.on('data', (chunk: Buffer) => {
      said += chunk;
      process.stdout.write(chunk);
    });
    const [status] = (await once(child, 'close')) as [number | null];
    const [, cases = '0'] = /(\d+) generated/.exec(said) ?? [];
    if (Number(cases) < LEAST_CASES)
      throw new Error(`only ${cases} cases were tried: give it more time`);
    return status === 0;
  } finally {
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const program = pythonProgram(`schemathesis==${VERSION}`, 'schemathesis');
const held = [await check(program, undefined), await check(program, TOKEN)];
process.exitCode = held.every(Boolean) ? 0 : 1;
