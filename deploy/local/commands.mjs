import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** @param {string} command */
async function isInstalled(command) {
  for (const folder of (process.env['PATH'] ?? '').split(delimiter)) {
    const found = await access(join(folder, command), constants.X_OK).then(
      () => true,
      () => false,
    );
    if (found) return true;
  }
  return false;
}

/**
 * Makes sure that a command is there, installing its Debian package where the process may.
 *
 * @param {string} command
 * @param {string} debianPackage
 * @param {(message: string) => void} log
 */
export async function requireCommand(command, debianPackage, log) {
  if (await isInstalled(command)) return;
  const advice = `${command} is not installed: install it (Debian and Ubuntu: apt-get install ${debianPackage})`;
  if (!(await isInstalled('apt-get'))) throw new Error(advice);
  const prefix = process.getuid?.() === 0 ? [] : ['sudo', '-n'];
  if (prefix.length > 0) {
    const allowed = await run('sudo', ['-n', 'true']).then(
      () => true,
      () => false,
    );
    if (!allowed) throw new Error(advice);
  }
  log(`installing ${debianPackage} through apt-get`);
  const aptGet = async (/** @type {string[]} */ ...args) => {
    const [file, ...rest] = [
      ...prefix,
      'env',
      'DEBIAN_FRONTEND=noninteractive',
      'apt-get',
      ...args,
    ];
    await run(/** @type {string} */ (file), rest, { maxBuffer: 64 * 1024 * 1024 });
  };
  try {
    await aptGet('update', '-q');
    await aptGet('install', '-q', '-y', '--no-install-recommends', debianPackage);
  } catch (cause) {
    throw new Error(`${advice}; apt-get failed`, { cause });
  }
  if (!(await isInstalled(command))) throw new Error(advice);
}
