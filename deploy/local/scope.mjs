import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const WATCHDOG = fileURLToPath(new URL('./watchdog.mjs', import.meta.url));
const STOP_PATIENCE_MS = 10_000;

/**
 * @typedef {object} Child
 * @property {number} pid
 * @property {Promise<string>} exited Resolves to how it ended and the last it said.
 * @property {() => boolean} isRunning
 * @property {() => Promise<void>} stop SIGTERM, and SIGKILL where that is not heeded.
 */

/**
 * The processes and temporary folders of one set of services. None of them outlives the scope,
 * even where this process is killed: the watchdog then clears up.
 */
export class Scope {
  /** @type {Set<Child>} */
  #children = new Set();
  /** @type {Set<string>} */
  #folders = new Set();
  #watchdog;

  constructor() {
    this.#watchdog = spawn(process.execPath, [WATCHDOG], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    });
    // If the watchdog has ended, this process still cleans up itself.
    this.#watchdog.stdin.on('error', () => {});
    this.#watchdog.unref();
  }

  /** @param {string} line */
  #tell(line) {
    this.#watchdog.stdin.write(`${line}\n`);
  }

  /** @param {string} name */
  async folder(name) {
    const folder = await mkdtemp(join(tmpdir(), `unskew-${name}-`));
    this.#folders.add(folder);
    this.#tell(`add folder ${folder}`);
    return folder;
  }

  /**
   * @param {string} command
   * @param {readonly string[]} args
   * @param {string} cwd
   * @returns {Child}
   */
  start(command, args, cwd) {
    // A separate process group, so that Ctrl-C reaches only the owner, which then stops all in order.
    const child = spawn(command, args, { cwd, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const listen = (/** @type {Buffer} */ chunk) => {
      said = (said + chunk).slice(-2000);
    };
    child.stdout.on('data', listen);
    child.stderr.on('data', listen);
    const exited = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('close', (code, signal) => resolve(`${signal ?? `exit code ${code}`}\n${said}`));
    });
    if (child.pid !== undefined) this.#tell(`add pid ${child.pid}`);
    const isRunning = () =>
      child.pid !== undefined && child.exitCode === null && child.signalCode === null;
    const stop = async () => {
      if (isRunning()) {
        child.kill('SIGTERM');
        const forced = setTimeout(() => child.kill('SIGKILL'), STOP_PATIENCE_MS);
        await exited;
        clearTimeout(forced);
      }
    };
    const handle = { pid: child.pid ?? -1, exited, isRunning, stop };
    this.#children.add(handle);
    void exited.then(() => {
      this.#children.delete(handle);
      if (child.pid !== undefined) this.#tell(`drop pid ${child.pid}`);
    });
    return handle;
  }

  async close() {
    await Promise.all([...this.#children].map((child) => child.stop()));
    await Promise.all(
      [...this.#folders].map((folder) => rm(folder, { recursive: true, force: true })),
    );
    if (this.#watchdog.exitCode === null) {
      this.#watchdog.stdin.end();
      this.#watchdog.ref();
      await once(this.#watchdog, 'exit');
    }
  }
}
