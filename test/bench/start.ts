import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MAIN } from '../support/program.js';
import { medianOf } from './cpu-time.js';
import type { BenchResult } from './result.js';

const STARTS = 15;
const MOST = 22;

/** Processors' time of `evaluate` of a small log, in starts of Node itself, all in turn. */
export async function benchStart(): Promise<BenchResult[]> {
  const folder = await mkdtemp(join(tmpdir(), 'unskew-start-'));
  try {
    const sizes = ['--users', '130', '--cycles', '4', '--train-cycles', '2'];
    spawnSync(process.execPath, [MAIN, 'simulate', '--out', folder, ...sizes]);
    const node: number[] = [];
    const took: number[] = [];
    for (let round = 0; round < STARTS; round++) {
      node.push(cpuMsOf('--eval', '0'));
      took.push(cpuMsOf(MAIN, 'evaluate', '--events', join(folder, 'events.ndjson')));
    }
    const value = medianOf(took) / medianOf(node);
    const ms = (times: readonly number[]) => `${medianOf(times).toFixed(0)} ms`;
    return [
      {
        id: 'start.evaluate',
        value,
        unit: 'x node',
        target: `<= ${MOST}`,
        ok: value <= MOST,
        detail: `evaluate of 4,205 lines: ${ms(took)}; node alone: ${ms(node)}; medians of ${STARTS} starts in turn`,
      },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Makes a process say at its end how long the processors worked for it, in µs. */
const SAYS_TIME = `data:text/javascript,process.on('exit', () => {
  const { user, system } = process.cpuUsage();
  process.stderr.write(String(user + system));
})`;

/** Time of the processors that a process takes, in ms. */
function cpuMsOf(...argv: readonly string[]): number {
  // Certificates are read at each start, also of Node alone: they would flatter the ratio.
  const { NODE_OPTIONS: _, NODE_EXTRA_CA_CERTS: __, ...env } = process.env;
  const { status, stderr } = spawnSync(process.execPath, ['--import', SAYS_TIME, ...argv], {
    env,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`);
  return Number(stderr) / 1000;
}
