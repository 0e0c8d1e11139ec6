import { spawnSync } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import { MAIN } from '../support/program.js';
import type { BenchResult } from './result.js';

const STARTS = 20;
const MOST = 4;

/** What answers without a configuration, by the figure's id. */
const ASKED = {
  'help.version': ['--version'],
  'help.program': ['--help'],
  'help.command': ['evaluate', '--help'],
} as const;

/** How long what only prints takes, in starts of Node itself, all started in turn. */
export async function benchHelp(): Promise<BenchResult[]> {
  const node: number[] = [];
  const took = Object.entries(ASKED).map(([id, argv]) => ({ id, argv, ms: [] as number[] }));
  for (let round = 0; round < STARTS; round++) {
    node.push(started('--eval', ''));
    for (const { argv, ms } of took) ms.push(started(MAIN, ...argv));
  }
  const bare = median(node);
  return took.map(({ id, argv, ms }) => {
    const value = median(ms) / bare;
    return {
      id,
      value,
      unit: 'x node',
      target: `<= ${MOST}`,
      ok: value <= MOST,
      detail: `unskew ${argv.join(' ')}: ${median(ms).toFixed(0)} ms; node alone: ${bare.toFixed(0)} ms; medians of ${STARTS} starts in turn`,
    };
  });
}

function started(...argv: readonly string[]): number {
  // Certificates are read at each start, also of Node alone: they would flatter the ratio.
  const { NODE_OPTIONS: _, NODE_EXTRA_CA_CERTS: __, ...env } = process.env;
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, argv, { env });
  const ms = performance.now() - start;
  if (status !== 0) throw new Error(`${argv.join(' ')} ended with ${status}: ${stderr}`);
  return ms;
}

function median(of: readonly number[]): number {
  return [...of].sort((a, b) => a - b)[of.length >> 1]!;
}
