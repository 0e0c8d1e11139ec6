import { execFile } from 'node:child_process';
import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
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
 * apt-get allows one at a time: installations wait for one another here, and for others' below. In
 * Debian's images each "apt-get update" deletes what another has just fetched, before it is unpacked.
 */
let lastInstallation = Promise.resolve();
const LOCK_TRIES = 60;
const LOCK_WAIT_MS = 2000;
const IS_OF_ANOTHER = /could not get lock|unable to (acquire|lock)|cannot stat pathname/i;

/**
 * Makes sure that a command is there, installing its Debian package where the process may.
 *
 * @param {string} command
 * @param {string} debianPackage
 * @param {(message: string) => void} log
 */
export function requireCommand(command, debianPackage, log) {
  const installed = lastInstallation.then(() => install(command, debianPackage, log));
  lastInstallation = installed.catch(() => {});
  return installed;
}

/**
 * @param {string} command
 * @param {string} debianPackage
 * @param {(message: string) => void} log
 */
async function install(command, debianPackage, log) {
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
  try {
    await aptGet(prefix, ['update', '-q']);
    await aptGet(prefix, ['install', '-q', '-y', '--no-install-recommends', debianPackage]);
  } catch (cause) {
    throw new Error(`${advice}; apt-get failed`, { cause });
  }
  if (!(await isInstalled(command))) throw new Error(advice);
}

/**
 * @param {readonly string[]} prefix
 * @param {readonly string[]} args
 */
async function aptGet(prefix, args) {
  const command = [...prefix, 'env', 'DEBIAN_FRONTEND=noninteractive', 'apt-get', ...args];
  for (let tries = 1; ; tries++) {
    try {
      const [file, ...rest] = /** @type {[string, ...string[]]} */ (command);
      await run(file, rest, { maxBuffer: 64 * 1024 * 1024 });
      return;
    } catch (error) {
      if (!IS_OF_ANOTHER.test(outputOf(error)) || tries === LOCK_TRIES) throw error;
      await sleep(LOCK_WAIT_MS);
    }
  }
}

/**
 * What the command printed: apt-get names a lock on stderr, dpkg a file that is gone on stdout.
 *
 * @param {unknown} error
 */
function outputOf(error) {
  const { stdout = '', stderr = '' } = /** @type {{ stdout?: string, stderr?: string }} */ (error);
  return `${stdout}${stderr}`;
}
