import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { requireCommand } from '../../deploy/services.mjs';

export interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  /** Of an instant query. */
  readonly value?: readonly [number, string];
  /** Of a range query. */
  readonly values?: readonly (readonly [number, string])[];
}

export interface PrometheusOptions {
  /** `host:port` of what is scraped, every second, as the job unskew. */
  readonly target: string;
  readonly ruleFiles?: readonly string[];
  /** `host:port` of an Alertmanager. */
  readonly alertmanager?: string;
}

/** So often is asked for what has to be there, a second apart. */
const MOST_QUERIES = 20;

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

/** A process with a folder of its own, both of which go when it is stopped. */
export class Daemon {
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #folder: string;
  #output = '';

  private constructor(child: ChildProcess, folder: string, port: number) {
    this.#child = child;
    this.#folder = folder;
    this.address = `127.0.0.1:${port}`;
    const take = (chunk: Buffer) => {
      this.#output += chunk;
    };
    child.stdout?.on('data', take);
    child.stderr?.on('data', take);
  }

  static async start(
    command: string,
    config: object,
    args: (place: { folder: string; config: string; port: number }) => string[],
  ): Promise<Daemon> {
    const folder = await mkdtemp(join(tmpdir(), 'unskew-'));
    // JSON is YAML.
    const file = join(folder, 'config.yml');
    await writeFile(file, JSON.stringify(config));
    const port = await freePort();
    const child = spawn(command, args({ folder, config: file, port }));
    return new Daemon(child, folder, port);
  }

  /** The answer's body; what the process said is in the error of one that does not answer. */
  async get(path: string): Promise<unknown> {
    try {
      const response = await fetch(`http://${this.address}${path}`);
      return await response.json();
    } catch (cause) {
      throw new Error(`no answer to ${path}; it said: ${this.#output.slice(-2000)}`, { cause });
    }
  }

  async stop(): Promise<void> {
    if (this.#child.exitCode === null) {
      const ended = once(this.#child, 'exit');
      this.#child.kill('SIGTERM');
      await ended;
    }
    await rm(this.#folder, { recursive: true, force: true });
  }
}

/** A real Prometheus that scrapes and evaluates every second. */
export class Prometheus {
  readonly #daemon: Daemon;

  private constructor(daemon: Daemon) {
    this.#daemon = daemon;
  }

  static async start({ target, ruleFiles, alertmanager }: PrometheusOptions): Promise<Prometheus> {
    await requireCommand('prometheus', 'prometheus', () => {});
    const config = {
      global: { scrape_interval: '1s', evaluation_interval: '1s' },
      rule_files: ruleFiles ?? [],
      alerting: {
        alertmanagers:
          alertmanager === undefined ? [] : [{ static_configs: [{ targets: [alertmanager] }] }],
      },
      scrape_configs: [{ job_name: 'unskew', static_configs: [{ targets: [target] }] }],
    };
    const daemon = await Daemon.start('prometheus', config, ({ folder, config: file, port }) => [
      `--config.file=${file}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
    ]);
    return new Prometheus(daemon);
  }

  /** Throws what Prometheus has against the expression. */
  async query(expression: string): Promise<readonly Sample[]> {
    return this.#ask(`/api/v1/query?query=${encodeURIComponent(expression)}`);
  }

  /** Asked again while there is nothing: after one scrape that came too late there is none for a moment. */
  async queryThere(expression: string): Promise<readonly Sample[]> {
    for (let left = MOST_QUERIES; ; left--) {
      const found = await this.query(expression);
      if (found.length > 0 || left === 1) return found;
      await delay(1000);
    }
  }

  /** Over the last `seconds`, in steps of five. */
  async queryRange(expression: string, seconds: number): Promise<readonly Sample[]> {
    const end = Date.now() / 1000;
    const range = `&start=${end - seconds}&end=${end}&step=5`;
    return this.#ask(`/api/v1/query_range?query=${encodeURIComponent(expression)}${range}`);
  }

  /** Values of a label, as a variable of a dashboard finds them. */
  async labelValues(selector: string, label: string): Promise<readonly string[]> {
    const match = encodeURIComponent(selector);
    const answer = await this.#daemon.get(`/api/v1/label/${label}/values?match[]=${match}`);
    return (answer as { data: string[] }).data;
  }

  /** Rules with their newest state. */
  async rules(): Promise<readonly { name: string; health: string; lastError?: string }[]> {
    const answer = (await this.#daemon.get('/api/v1/rules')) as {
      data: { groups: { rules: { name: string; health: string; lastError?: string }[] }[] };
    };
    return answer.data.groups.flatMap((group) => group.rules);
  }

  stop(): Promise<void> {
    return this.#daemon.stop();
  }

  async #ask(path: string): Promise<readonly Sample[]> {
    const answer = (await this.#daemon.get(path)) as {
      status: string;
      error?: string;
      warnings?: string[];
      data: { result: Sample[] };
    };
    const complaints = [answer.error, ...(answer.warnings ?? [])].filter(Boolean);
    if (complaints.length > 0) throw new Error(`${complaints.join('; ')}: ${path}`);
    return answer.data.result;
  }
}
