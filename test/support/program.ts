import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type ParsedSeries, parseExposition } from '../unit/prometheus/exposition.js';
import { SHORT_LIVED } from './short-lived.js';

export const MAIN = fileURLToPath(new URL('../../dist/main.js', import.meta.url));
const START_MS = 60_000;
const LEAST_PAUSE_MS = 100;
const MOST_PAUSE_MS = 1_000;

export interface Ended {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The environment without the settings of its owner. */
export function environment(settings: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('UNSKEW_'));
  return { ...Object.fromEntries(inherited), ...settings };
}

/**
 * Runs the program as a user would, to its end.
 *
 * @param main of another version
 */
export async function unskew(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
  main = MAIN,
): Promise<Ended> {
  const child = spawn(process.execPath, [...SHORT_LIVED, main, ...args], {
    env: environment(settings),
  });
  let stdout = '';
  let stderr = '';
  // A character of several bytes may come in two chunks.
  child.stdout.setEncoding('utf8');
  child.stderr.setEncoding('utf8');
  child.stdout.on('data', (chunk) => {
    stdout += chunk;
  });
  child.stderr.on('data', (chunk) => {
    stderr += chunk;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}

/** A service that runs in a process of its own until it is stopped. */
export class RunningService {
  readonly address: string;
  readonly #child: ChildProcess;
  readonly #output: () => string;

  private constructor(child: ChildProcess, address: string, output: () => string) {
    this.#child = child;
    this.address = address;
    this.#output = output;
  }

  /**
   * Resolves when the service listens; its port is one that the system chose.
   *
   * @param main of another version
   */
  static async start(
    args: readonly string[],
    settings: Readonly<Record<string, string>> = {},
    main = MAIN,
  ): Promise<RunningService> {
    const child = spawn(process.execPath, [...SHORT_LIVED, main, ...args], {
      env: environment(settings),
    });
    let output = '';
    const address = await new Promise<string>((resolve, reject) => {
      const overdue = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`the service did not listen in time:\n${output}`));
      }, START_MS);
      const look = (chunk: Buffer) => {
        output += chunk;
        const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output);
        if (found === null) return;
        clearTimeout(overdue);
        resolve(found[0]);
      };
      child.stdout.on('data', look);
      child.stderr.on('data', look);
      child.once('exit', (code) => {
        clearTimeout(overdue);
        reject(new Error(`the service ended with ${code}:\n${output}`));
      });
    });
    return new RunningService(child, address, () => output);
  }

  get pid(): number {
    return this.#child.pid!;
  }

  get hasEnded(): boolean {
    return this.#child.exitCode !== null || this.#child.signalCode !== null;
  }

  get output(): string {
    return this.#output();
  }

  async get(path: string): Promise<{ status: number; body: string }> {
    const response = await fetch(this.address + path);
    return { status: response.status, body: await response.text() };
  }

  /** Whatever a test does, every event that was read has one outcome. */
  async scrape(): Promise<ParsedSeries[]> {
    const series = parseExposition((await this.get('/metrics')).body);
    const lost = series.filter(
      ({ name, value }) => name === 'unskew_events_unaccounted' && value !== 0,
    );
    if (lost.length > 0) throw new Error(`events without an outcome: ${JSON.stringify(lost)}`);
    return series;
  }

  /** It stands still, and does not know for how long. */
  suspend(): void {
    this.#child.kill('SIGSTOP');
  }

  resume(): void {
    this.#child.kill('SIGCONT');
  }

  /** Ends it without a word: it can save nothing and say goodbye to nobody. */
  async kill(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Asks it to stop and gives its exit code. */
  async stop(): Promise<number | null> {
    if (this.#child.exitCode !== null) return this.#child.exitCode;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const [code] = (await ended) as [number | null];
    return code;
  }
}

/**
 * Tries until the condition holds. The error of one that never does says what was waited for, and
 * what was last seen.
 *
 * @param awaited what is to become true, in words
 */
export async function eventually<T>(
  awaited: string,
  look: () => Promise<T>,
  holds: (seen: T) => boolean,
  timeoutMs = 180_000,
): Promise<T> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const start = Date.now();
    const seen = await look();
    if (holds(seen)) return seen;
    const tookMs = Date.now() - start;
    if (Date.now() > end) {
      const last = JSON.stringify(seen)?.slice(0, 2000);
      throw new Error(`${awaited} did not happen within ${timeoutMs / 1000} s; last seen: ${last}`);
    }
    // A look that takes long is made seldom: it must not keep what is waited for from its work.
    await sleep(Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, 8 * tookMs)));
  }
}
