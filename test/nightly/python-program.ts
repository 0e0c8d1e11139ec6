import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './manifest-checks.js';

/**
 * A program of a package of Python's, `name==version`, installed once into a folder of its own, with
 * others that it needs.
 */
export function pythonProgram(source: string, name: string, ...others: readonly string[]): string {
  const folder = join(ROOT, '.cache', source.replace('==', '-'));
  const program = join(folder, 'bin', name);
  if (existsSync(program)) return program;
  for (const [command, ...args] of [
    ['python3', '-m', 'venv', folder],
    [join(folder, 'bin', 'pip'), 'install', '--quiet', source, ...others],
  ] as const) {
    const { status } = spawnSync(command, args, { stdio: 'inherit' });
    if (status !== 0)
      throw new Error(`cannot install ${name}: ${command} failed; it needs Python 3.10 with venv`);
  }
  return program;
}
