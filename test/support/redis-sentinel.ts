import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { requireCommand } from '../../deploy/services.mjs';
import { eventually } from './program.js';
import { freePort } from './prometheus.js';

export interface LeaderAndReplica {
  /** Ports. */
  readonly first: number;
  readonly second: number;
  readonly leader: ChildProcess;
}

/** Redis servers, their replicas and Sentinels on free loopback ports, until they are stopped. */
export class RedisServers {
  readonly #folder: string;
  readonly #children: ChildProcess[] = [];

  private constructor(folder: string) {
    this.#folder = folder;
  }

  static async create(): Promise<RedisServers> {
    await requireCommand('redis-server', 'redis-server', () => {});
    return new RedisServers(await mkdtemp(join(tmpdir(), 'unskew-redis-')));
  }

  async stop(): Promise<void> {
    for (const child of this.#children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }

  redis(port: number, ...args: string[]): Promise<ChildProcess> {
    const own = ['--port', `${port}`, '--bind', '127.0.0.1', '--save', ''];
    const up = args.includes('--replicaof')
      ? /Finished with success|Partial resync/
      : /Ready to accept/;
    return this.#start([...own, ...args], up);
  }

  async leaderAndReplica(): Promise<LeaderAndReplica> {
    const first = await freePort();
    const second = await freePort();
    const leader = await this.redis(first);
    await this.redis(second, '--replicaof', `127.0.0.1 ${first}`);
    return { first, second, leader };
  }

  /** One that decides by itself, and soon. @returns its port; the leader is called `lead` */
  async sentinel(leaderPort: number): Promise<number> {
    const port = await freePort();
    const lines = [
      `port ${port}`,
      'bind 127.0.0.1',
      'protected-mode no',
      `sentinel monitor lead 127.0.0.1 ${leaderPort} 1`,
      'sentinel down-after-milliseconds lead 1000',
      'sentinel failover-timeout lead 5000',
    ];
    const file = join(this.#folder, 'sentinel.conf');
    await writeFile(file, `${lines.join('\n')}\n`);
    await this.#start([file, '--sentinel'], /\+slave slave/);
    return port;
  }

  async #start(args: readonly string[], isUp: RegExp): Promise<ChildProcess> {
    const child = spawn('redis-server', args, { cwd: this.#folder });
    this.#children.push(child);
    let output = '';
    child.stdout.on('data', (chunk) => {
      output += chunk;
    });
    await eventually(
      'a server to say that it is up',
      async () => output,
      (text) => isUp.test(text),
      60_000,
    );
    return child;
  }
}
