import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { requireCommand } from '../../../deploy/services.mjs';

const COMMAND = 'unskew-asks-for-this';
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-commands-'));
  program('sudo', 'shift; exec "$@"');
  vi.stubEnv('PATH', `${folder}${delimiter}${process.env['PATH']}`);
});
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

/** A program of this name, before all others. */
function program(name: string, script: string): void {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
}

/** An apt-get whose first installation fails with what it prints; the next ones work. */
function aptGet(failure: string): void {
  const done = join(folder, 'failed');
  program(
    'apt-get',
    `[ "$1" = install ] || exit 0
[ -e ${done} ] || { touch ${done}; ${failure}; exit 100; }
printf '#!/bin/sh\\n' > ${join(folder, COMMAND)}; chmod +x ${join(folder, COMMAND)}`,
  );
}

const install = () => requireCommand(COMMAND, 'package-of-it', () => {});

it.each([
  ['a lock held by another process', 'echo "E: Could not get lock /var/lib/dpkg/lock" >&2'],
  [
    'another update deleted the package',
    'echo "dpkg: error: cannot stat pathname \'/tmp/23-package.deb\': No such file or directory"',
  ],
])('retries after %s', async (_, failure) => {
  aptGet(failure);
  await expect(install()).resolves.toBeUndefined();
});

it('says what to install where apt-get fails for another reason', async () => {
  aptGet('echo "E: Unable to locate package package-of-it" >&2');
  await expect(install()).rejects.toThrow(/apt-get install package-of-it\); apt-get failed/);
});
