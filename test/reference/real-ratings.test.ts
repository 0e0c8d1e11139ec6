import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mean } from 'simple-statistics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES } from '../../src/commands/cli/bodies.js';
import { coatLog } from '../support/coat-log.js';
import {
  itemRankers,
  neighbourRankers,
  type Ratings,
  type Scores,
} from '../support/coat-rankers.js';
import { needsData } from '../support/published-data.js';
import { repetitions } from '../support/repetitions.js';
import { run } from '../unit/cli/fake-io.js';

const K = 10;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-coat-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Of the values over all events, the mean over the rankers. */
async function relativeErrors(
  seed: number,
  rankers: (train: Ratings) => Readonly<Record<string, Scores>>,
  ...flags: string[]
) {
  const { train, events, truth } = coatLog(folder, seed, rankers, K);
  const { stdout } = await run(
    ['evaluate', '--train', train, '--events', events, '--positive', '4', '--json']
      .concat(['--metrics', 'recall', '--k', String(K), '--estimators', 'naive,snips'])
      .concat(['--baseline', 'none', ...flags]),
    BODIES,
  );
  const report = JSON.parse(stdout);
  const errorOf = (estimator: string) =>
    mean(
      [...truth].map(([model, wanted]) => {
        const { value } = report.results.find(
          (row: Record<string, unknown>) =>
            row['model'] === model &&
            row['estimator'] === estimator &&
            row['aggregation'] === 'pooled',
        );
        return Math.abs(value - wanted) / wanted;
      }),
    );
  return { report, naive: errorOf('naive'), snips: errorOf('snips') };
}

describe('recall of rankers on Coat from self-selected ratings', needsData('coat'), () => {
  it('is off by less than 45 % by default, uncorrected by more than 70 %', async () => {
    const splits = [];
    for (let seed = 1; seed <= repetitions(2, 20); seed++) {
      splits.push(await relativeErrors(seed, itemRankers));
    }
    expect(mean(splits.map(({ naive }) => naive))).toBeGreaterThan(0.7);
    expect(mean(splits.map(({ snips }) => snips))).toBeLessThan(0.45);
    for (const { report } of splits) {
      const codes = report.findings.map(({ code }: { code: string }) => code);
      expect(codes).toEqual(expect.arrayContaining(['cause_unknown', 'gamma_assumed']));
    }
  });

  it('is off nearly as far as uncorrected values with the exponent of the papers', async () => {
    const { naive, snips } = await relativeErrors(1, itemRankers, '--preset', 'papers');
    expect(snips).toBeGreaterThan(0.8 * naive);
  });

  it('is corrected only in part for neighbourhood rankers', async () => {
    const { naive, snips } = await relativeErrors(1, neighbourRankers);
    expect(naive).toBeGreaterThan(2);
    expect(snips).toBeGreaterThan(0.6);
    expect(snips).toBeLessThan(0.6 * naive);
  });
});
