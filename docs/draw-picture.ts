import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ModelValues, picture } from './picture.js';

/** `npm run picture`: simulates, evaluates, and draws what came of it into docs/problem.svg. */
interface Value {
  readonly model: string;
  readonly metric: string;
  readonly k: number | null;
  readonly aggregation: string;
  readonly estimator?: string;
  readonly value: number;
}

const MODELS = ['blend', 'personal', 'popular'];
const PROGRAM = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'unskew-picture-'));
const unskew = (line: string) =>
  execFileSync(process.execPath, [PROGRAM, ...line.split(' ')], {
    cwd: folder,
    encoding: 'utf8',
    maxBuffer: 1e9,
    stdio: ['ignore', 'pipe', 'ignore'],
  });

unskew('simulate --out sim');
const evaluated = JSON.parse(
  unskew(
    'evaluate --train sim/train.ndjson --events sim/events.ndjson --k 10 --metrics recall --json',
  ),
);
const { intervals } = JSON.parse(readFileSync(join(folder, 'sim/truth.json'), 'utf8'));
rmSync(folder, { recursive: true });

const value = (values: readonly Value[], model: string, estimator?: string) => {
  const found = values.find(
    (each) =>
      each.model === model &&
      each.metric === 'recall' &&
      each.k === 10 &&
      each.aggregation === 'user' &&
      each.estimator === estimator,
  );
  if (found === undefined) throw new Error(`the run has no recall@10 of ${model}`);
  return found.value;
};
const models: ModelValues[] = MODELS.map((model) => ({
  model,
  naive: value(evaluated.results, model, 'naive'),
  corrected: value(evaluated.results, model, 'snips'),
  truth: value(intervals.at(-1).values, model),
}));
writeFileSync(new URL('problem.svg', import.meta.url), picture(models));
