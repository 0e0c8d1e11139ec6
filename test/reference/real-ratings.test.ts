import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mean } from 'simple-statistics';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES } from '../../src/commands/cli/bodies.js';
import {
  coatPart,
  halves,
  itemRankers,
  listFor,
  neighbourRankers,
  type Ratings,
  recallOf,
  type Scores,
} from '../support/coat-rankers.js';
import { publishedData } from '../support/published-data.js';
import { repetitions } from '../support/repetitions.js';
import { run } from '../unit/cli/fake-io.js';

const START_MS = Date.UTC(2016, 0, 1);
const K = 10;

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-coat-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Half of what users chose to rate trains, the other half is evaluated; the random part is truth. */
async function relativeErrors(
  seed: number,
  rankers: (train: Ratings) => Readonly<Record<string, Scores>>,
  ...flags: string[]
) {
  const [train, held] = halves(coatPart('train'), seed);
  const truth = coatPart('test');
  const models = Object.entries(rankers(train)).map(([model, scores]) => ({
    model,
    lists: train.map((_, user) => listFor(user, train, scores)),
  }));
  const files = {
    train: written(`${seed}-train`, interactions('train', train, START_MS)),
    events: written(`${seed}-events`, [
      ...models.flatMap(({ model, lists }) => exposures(model, lists)),
      ...interactions('held', held, START_MS + 7_200_000),
    ]),
  };
  const { stdout } = await run(
    ['evaluate', '--train', files.train, '--events', files.events, '--positive', '4', '--json']
      .concat(['--metrics', 'recall', '--k', String(K), '--estimators', 'naive,snips'])
      .concat(['--baseline', 'none', ...flags]),
    BODIES,
  );
  const report = JSON.parse(stdout);
  const errorOf = (estimator: string) =>
    mean(
      models.map(({ model, lists }) => {
        const { value } = report.results.find(
          (row: Record<string, unknown>) =>
            row['model'] === model &&
            row['estimator'] === estimator &&
            row['aggregation'] === 'pooled',
        );
        const wanted = recallOf(lists, truth, train, K);
        return Math.abs(value - wanted) / wanted;
      }),
    );
  return { report, naive: errorOf('naive'), snips: errorOf('snips') };
}

function interactions(part: string, ratings: Ratings, fromMs: number): object[] {
  return ratings.flatMap((row, user) =>
    row.flatMap((value, item) => {
      const id = `${part}-${user}-${item}`;
      const ts = fromMs + user * 300 + item;
      const named = { user: `u${user}`, item: itemId(item) };
      return value === 0 ? [] : [{ type: 'interaction', id, ts, ...named, value }];
    }),
  );
}

function exposures(model: string, lists: readonly number[][]): object[] {
  return lists.map((list, user) => ({
    ...{ type: 'exposure', id: `${model}-${user}`, ts: START_MS + 3_600_000 + user },
    ...{ user: `u${user}`, model, items: list.map(itemId), shown: false, candidates: list.length },
  }));
}

function itemId(item: number): string {
  return `i${String(item).padStart(3, '0')}`;
}

function written(name: string, events: readonly object[]): string {
  const path = join(folder, `${name}.ndjson`);
  writeFileSync(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''));
  return path;
}

describe.skipIf(publishedData('coat') === undefined)(
  'rankers on Coat, by what users chose to rate, held against random items',
  () => {
    it('are off by less than 45 % by default, where uncorrected values are by more than 70 %', async () => {
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

    it('are off as far as uncorrected values with the exponent of the papers', async () => {
      const { naive, snips } = await relativeErrors(1, itemRankers, '--preset', 'papers');
      expect(snips).toBeGreaterThan(0.8 * naive);
    });

    it('that go by neighbours stay too good: what users choose to rate is more than popularity', async () => {
      const { naive, snips } = await relativeErrors(1, neighbourRankers);
      expect(naive).toBeGreaterThan(2);
      expect(snips).toBeGreaterThan(0.6);
      expect(snips).toBeLessThan(0.6 * naive);
    });
  },
);
