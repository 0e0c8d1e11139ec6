import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { FACTOR_DEFAULTS } from '../../src/learning/factors/factor-options.js';
import { fitFactors } from '../../src/learning/factors/fit-factors.js';
import { pythonProgram } from '../nightly/python-program.js';
import { coatProblem } from '../reference/coat-learning.js';
import { publishedData } from '../support/published-data.js';
import { cpuMs, medianOf } from './cpu-time.js';
import type { BenchResult } from './result.js';

const SCRIPT = fileURLToPath(new URL('factors.py', import.meta.url));
const ROUNDS = 7;
/** Rounds that pay for compilation. */
const WARM_UP = 2;
const SIZE = 20;
const LAMBDA = 1e-3;
/** How far above our objective theirs may end: a tenth of the digits that are printed of it. */
const SLACK = 1e-7;

interface Theirs {
  readonly objective: number;
  readonly ms: number;
  readonly iterations: number;
}

/**
 * MF-IPS on Coat against SciPy's L-BFGS on the same objective, up to ours of nine digits: the
 * processor's time on one thread each, in turns, median of rounds.
 */
export async function benchFactors(): Promise<BenchResult[]> {
  if (publishedData('coat') === undefined) return [];
  const { train, shipped } = coatProblem();
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  const { user, item, rating, users, items } = train;
  const problem = {
    ...{ users, items, size: SIZE, lambda: LAMBDA },
    ...{ user: [...user], item: [...item], rating: [...rating], weight: [...shipped] },
  };
  const path = join(folder, 'problem.json');
  await writeFile(path, JSON.stringify(problem));
  const scipy = new Scipy(path);
  try {
    const rounds: { ours: number; sweeps: number; theirs: Theirs }[] = [];
    for (let seed = 1; seed <= ROUNDS; seed++) {
      const options = { ...FACTOR_DEFAULTS, size: SIZE, lambda: LAMBDA, seed };
      let fit: ReturnType<typeof fitFactors> | undefined;
      const ours = cpuMs(() => {
        fit = fitFactors(train, shipped, { ...options, tolerance: 1e-9, maxSweeps: 400 });
      });
      const theirs = await scipy.fit(fit!.objective + SLACK, seed);
      rounds.push({ ours, sweeps: fit!.sweeps, theirs });
      if (theirs.objective > fit!.objective + SLACK)
        throw new Error('SciPy came to another optimum');
    }
    return [resultOf(rounds.slice(WARM_UP))];
  } finally {
    await scipy.close();
    await rm(folder, { recursive: true });
  }
}

function resultOf(
  rounds: readonly { ours: number; sweeps: number; theirs: Theirs }[],
): BenchResult {
  const ours = medianOf(rounds.map((round) => round.ours));
  const theirs = medianOf(rounds.map((round) => round.theirs.ms));
  const ratios = rounds.map((round) => round.theirs.ms / round.ours).sort((a, b) => a - b);
  const value = theirs / ours;
  const [{ sweeps, theirs: last }] = rounds;
  return {
    ...{ id: 'factors.scipy', value, unit: 'x SciPy', target: '>= 1.0', ok: value >= 1 },
    detail: `MF-IPS on Coat, d = ${SIZE}: ${ours.toFixed(0)} ms and ${sweeps} sweeps, L-BFGS ${theirs.toFixed(0)} ms and ${last.iterations} iterations; ${ratios[0]!.toFixed(1)} to ${ratios.at(-1)!.toFixed(1)} in ${rounds.length} turns`,
  };
}

/** A process that fits when it is asked to. */
class Scipy {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;

  constructor(problem: string) {
    const config = pythonProgram('scipy==1.15.3', 'numpy-config', 'numpy==2.2.6');
    // One thread, as here; and the kernel that its library finds to be the fastest.
    const { OPENBLAS_CORETYPE: _, OPENBLAS_L2_SIZE: __, ...rest } = process.env;
    const env = { ...rest, OPENBLAS_NUM_THREADS: '1' };
    this.#process = spawn(join(dirname(config), 'python'), [SCRIPT, problem], { env });
    this.#process.stderr.pipe(process.stderr);
    this.#answers = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
  }

  async fit(target: number, seed: number): Promise<Theirs> {
    this.#process.stdin.write(`${JSON.stringify({ target, seed })}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error('the fit by SciPy ended early');
    return JSON.parse(value) as Theirs;
  }

  async close(): Promise<void> {
    this.#process.stdin.end();
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
  }
}
