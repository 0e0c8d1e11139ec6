import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FOLDER } from './buildah.js';

const STATE = join(FOLDER, 'containers');
const RUNC = ['--root', STATE];

export interface Launch {
  readonly files: string;
  readonly isReadOnly: boolean;
  readonly uid: number;
  readonly gid: number;
  readonly args: readonly string[];
  readonly env: readonly string[];
  readonly cwd: string;
  /** Whether it shares the machine's network; otherwise it has none. */
  readonly isOnline: boolean;
  /** Folders of the machine that it may write to, by where it sees them. */
  readonly volumes: Readonly<Record<string, string>>;
}

export interface Said {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const empty = (destination: string, ...options: readonly string[]) => ({
  destination,
  type: 'tmpfs',
  source: 'tmpfs',
  options: ['nosuid', ...options],
});

/** As in Kubernetes: no capabilities, no way to gain any, and no writable folder but /dev/shm and volumes. */
function specOf(launch: Launch) {
  const { files, isReadOnly, uid, gid, args, env, cwd, isOnline, volumes } = launch;
  const namespaces = ['pid', 'ipc', 'uts', 'mount', ...(isOnline ? [] : ['network'])];
  return {
    ociVersion: '1.0.0',
    process: { user: { uid, gid }, args, env, cwd, noNewPrivileges: true, capabilities: {} },
    root: { path: files, readonly: isReadOnly },
    mounts: [
      { destination: '/proc', type: 'proc', source: 'proc' },
      empty('/dev', 'mode=755'),
      empty('/dev/shm', 'nodev', 'noexec', 'mode=1777'),
      ...Object.entries(volumes).map(([destination, source]) => ({
        destination,
        source,
        type: 'bind',
        options: ['bind', 'rw', 'nosuid', 'nodev'],
      })),
    ],
    linux: { namespaces: namespaces.map((type) => ({ type })) },
  };
}

/** Ends all containers, also those of an earlier run that was killed. */
export function removeContainers(): void {
  const names = existsSync(STATE) ? readdirSync(STATE) : [];
  for (const name of names) execFileSync('runc', [...RUNC, 'delete', '--force', name]);
}

/** A container that the OCI runtime runs. */
export class Container {
  readonly ended: Promise<number | null>;
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #folder: string;
  #output = '';

  constructor(launch: Launch) {
    mkdirSync(STATE, { recursive: true });
    this.#folder = mkdtempSync(join(tmpdir(), 'unskew-container-'));
    this.#name = this.#folder.slice(this.#folder.lastIndexOf('/') + 1);
    writeFileSync(join(this.#folder, 'config.json'), JSON.stringify(specOf(launch)));
    const args = ['run', '--bundle', this.#folder, this.#name];
    this.#child = spawn('runc', [...RUNC, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
    for (const stream of [this.#child.stdout!, this.#child.stderr!])
      stream.on('data', (chunk: Buffer) => {
        this.#output += chunk;
      });
    this.ended = once(this.#child, 'close').then(([code]) => code as number | null);
  }

  get output(): string {
    return this.#output;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  /** The fields of /proc/…/status of its first process. */
  status(): ReadonlyMap<string, string> {
    const state = execFileSync('runc', [...RUNC, 'state', this.#name], { encoding: 'utf8' });
    const { pid } = JSON.parse(state) as { pid: number };
    const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n');
    return new Map(lines.map((line) => line.split(':\t') as [string, string]));
  }

  /** Runs a command in it, as the same user. */
  exec(command: readonly string[], env: Readonly<Record<string, string>> = {}): Said {
    const given = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    return spawnSync('runc', [...RUNC, 'exec', ...given, this.#name, ...command], {
      encoding: 'utf8',
      timeout: 120_000,
    });
  }

  signal(name: 'TERM' | 'KILL'): void {
    execFileSync('runc', [...RUNC, 'kill', this.#name, name]);
  }

  /** Kills it if it still runs. */
  async remove(): Promise<void> {
    spawnSync('runc', [...RUNC, 'delete', '--force', this.#name]);
    await this.ended;
    rmSync(this.#folder, { recursive: true });
  }
}
