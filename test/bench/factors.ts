import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { FACTOR_DEFAULTS, fitFactors } from '../../src/commands/train/fit-factors.js';
import type { Ratings } from '../../src/commands/train/rating-rows.js';
import { pythonProgram } from '../nightly/python-program.js';
import { coatProblem, errorsOf } from '../reference/coat-learning.js';
import { movieLensRatings } from '../support/movielens-ratings.js';
import { missingData, publishedData } from '../support/published-data.js';
import { cpuMs, medianOf } from './cpu-time.js';
import type { BenchResult } from './result.js';

const SCIPY = fileURLToPath(new URL('factors.py', import.meta.url));
const CORNAC = fileURLToPath(new URL('factors-cornac.py', import.meta.url));
const SIZE = 20;

interface Theirs {
  readonly objective: number;
  readonly ms: number;
  readonly iterations: number;
}

/** What Cornac's own factorisation, which has another objective, takes by its defaults. */
interface Cornac {
  readonly ms: number;
  readonly epochs: number;
  readonly mse: number;
}

interface Problem {
  readonly id: string;
  readonly what: string;
  readonly ratings: Ratings;
  readonly weight: Float64Array;
  readonly lambda: number;
  /** How far above our objective theirs may end: a tenth of the digits that are printed of it. */
  readonly slack: number;
  readonly rounds: number;
  /** Rounds that pay for compilation. */
  readonly warmUp: number;
}

interface Round {
  readonly ours: number;
  readonly sweeps: number;
  readonly mse: number;
  readonly theirs: Theirs;
  readonly cornac: Cornac;
}

/**
 * Factors on Coat and on MovieLens against SciPy's L-BFGS on the same objective, up to ours: the
 * processor's time on one thread each, in turns, median of rounds. Cornac's time is stated beside it.
 */
export async function benchFactors(): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const problem of problems()) results.push(await benchOf(problem));
  return results;
}

function problems(): Problem[] {
  const found: Problem[] = [];
  if (publishedData('coat') !== undefined) {
    const { train, shipped } = coatProblem();
    const about = { id: 'factors.scipy', what: 'MF-IPS on Coat' };
    const how = { lambda: 1e-3, slack: 1e-7, rounds: 7, warmUp: 2 };
    found.push({ ...about, ratings: train, weight: shipped, ...how });
  } else process.stderr.write(missingData('factors.scipy', 'coat'));
  if (publishedData('ml-latest-small') !== undefined) {
    const ratings = movieLensRatings(0);
    const { users, items, rating } = ratings;
    // None is drawn at random there: all pairs weigh the same, and λ is what validation chooses.
    const weight = new Float64Array(rating.length).fill((users * items) / rating.length);
    const about = { id: 'factors.movielens', what: 'MF on MovieLens latest-small' };
    const how = { lambda: 1e-4, slack: 1e-6, rounds: 3, warmUp: 1 };
    found.push({ ...about, ratings, weight, ...how });
  } else process.stderr.write(missingData('factors.movielens', 'ml-latest-small'));
  return found;
}

async function benchOf(problem: Problem): Promise<BenchResult> {
  const { ratings, weight, lambda, slack } = problem;
  const folder = await mkdtemp(join(tmpdir(), 'unskew-bench-'));
  const { user, item, rating, users, items } = ratings;
  const told = {
    users,
    items,
    size: SIZE,
    lambda,
    user: [...user],
    item: [...item],
    rating: [...rating],
    weight: [...weight],
  };
  const path = join(folder, 'problem.json');
  await writeFile(path, JSON.stringify(told));
  const scipy = new Fitter<Theirs>(SCIPY, pythonOf('scipy==1.15.3', 'numpy==2.2.6'), path);
  const cornac = new Fitter<Cornac>(CORNAC, pythonOf('cornac==3.0.1'), path);
  try {
    const rounds: Round[] = [];
    for (let seed = 1; seed <= problem.rounds; seed++) {
      const options = { ...FACTOR_DEFAULTS, size: SIZE, lambda, seed };
      let fit: ReturnType<typeof fitFactors> | undefined;
      const ours = cpuMs(() => {
        fit = fitFactors(ratings, weight, { ...options, tolerance: 1e-9, maxSweeps: 400 });
      });
      const { objective, sweeps, factors } = fit!;
      const theirs = await scipy.fit({ target: objective + slack, seed });
      if (theirs.objective > objective + slack) throw new Error('SciPy came to another optimum');
      const { mse } = errorsOf(factors, ratings);
      rounds.push({ ours, sweeps, mse, theirs, cornac: await cornac.fit({ seed }) });
    }
    return resultOf(problem, rounds.slice(problem.warmUp));
  } finally {
    await scipy.close();
    await cornac.close();
    await rm(folder, { recursive: true });
  }
}

function resultOf({ id, what }: Problem, rounds: readonly Round[]): BenchResult {
  const ours = medianOf(rounds.map((round) => round.ours));
  const theirs = medianOf(rounds.map((round) => round.theirs.ms));
  const cornacs = medianOf(rounds.map(({ cornac }) => cornac.ms));
  const ratios = rounds.map((round) => round.theirs.ms / round.ours).sort((a, b) => a - b);
  const value = theirs / ours;
  const [{ sweeps, mse, theirs: last, cornac }] = rounds;
  const own = `${what}, d = ${SIZE}: ${ours.toFixed(0)} ms and ${sweeps} sweeps`;
  const beside = `Cornac, which has no propensities, ${cornacs.toFixed(0)} ms and ${cornac.epochs} epochs to a mean squared error of ${cornac.mse.toFixed(3)} (here ${mse.toFixed(3)})`;
  return {
    id,
    value,
    unit: 'x SciPy',
    target: '>= 1.0',
    ok: value >= 1,
    detail: `${own}, L-BFGS ${theirs.toFixed(0)} ms and ${last.iterations} iterations; ${ratios[0]!.toFixed(1)} to ${ratios.at(-1)!.toFixed(1)} in ${rounds.length} turns; ${beside}`,
  };
}

/** The Python of a folder that has the package. */
function pythonOf(source: string, ...others: readonly string[]): string {
  return join(dirname(pythonProgram(source, 'numpy-config', ...others)), 'python');
}

/** A process that fits when it is asked to. */
class Fitter<Answer> {
  readonly #process: ChildProcessWithoutNullStreams;
  readonly #answers: AsyncIterator<string>;
  readonly #script: string;

  constructor(script: string, python: string, problem: string) {
    // One thread, as here; and the kernel that its library finds to be the fastest.
    const { OPENBLAS_CORETYPE: _, OPENBLAS_L2_SIZE: __, ...rest } = process.env;
    const env = { ...rest, OPENBLAS_NUM_THREADS: '1', OMP_NUM_THREADS: '1' };
    this.#script = script;
    this.#process = spawn(python, [script, problem], { env });
    this.#process.stderr.pipe(process.stderr);
    this.#answers = createInterface(this.#process.stdout)[Symbol.asyncIterator]();
  }

  async fit(asked: object): Promise<Answer> {
    this.#process.stdin.write(`${JSON.stringify(asked)}\n`);
    const { value, done } = await this.#answers.next();
    if (done === true) throw new Error(`${this.#script} ended early`);
    return JSON.parse(value) as Answer;
  }

  async close(): Promise<void> {
    this.#process.stdin.end();
    if (this.#process.exitCode === null) await once(this.#process, 'exit');
  }
}
