import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES } from '../../../../src/commands/cli/bodies.js';
import { readPropensities } from '../../../../src/commands/propensities/stored-propensities.js';
import { snipsRating } from '../../../../src/estimators/mean-rating.js';
import { learnedPropensities } from '../../../../src/estimators/propensity/learned-propensities.js';
import type { RatingsV1 } from '../../../../src/features/ratings/rating-report.js';
import { ratingsIn, writeRatedWorld } from '../../../support/rated-world.js';
import { run } from '../../cli/fake-io.js';

let folder: string;
const at = (name: string) => join(folder, name);
const METRICS = ['--metrics', 'mae,rmse', '--set', 'ratings.estimators=naive,snips,ips'];
const EVENTS = () => ['--events', at('lists.ndjson'), at('chosen.ndjson')];

interface Printed {
  readonly ratings: RatingsV1;
  readonly trust: { readonly reasons: readonly { code: string }[] };
  readonly findings: readonly { code: string; text: string; figures: Record<string, number> }[];
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-rating-file-'));
  writeRatedWorld(folder);
  const tables = ['--user-features', at('users.csv'), '--item-features', at('items.ndjson')];
  const random = ['--randomized', at('random.ndjson')];
  const kinds = { lr: [...tables, '--l2', '1'], nb: [...random] };
  for (const [kind, more] of Object.entries(kinds)) {
    const argv = ['propensities', at('chosen.ndjson'), '--kind', kind, '--out', at(`${kind}.json`)];
    const { code, stderr } = await run([...argv, ...more], BODIES);
    expect(code, stderr).toBe(0);
  }
  const both = [...tables, '--l2', '1', ...random];
  const argv = ['propensities', at('chosen.ndjson'), '--kind', 'lr', '--out', at('both.json')];
  expect((await run([...argv, ...both], BODIES)).code).toBe(0);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function evaluated(...argv: string[]): Promise<Printed> {
  const { code, stdout, stderr } = await run(
    ['evaluate', '--json', ...METRICS, ...EVENTS(), ...argv],
    BODIES,
  );
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout) as Printed;
}
const mae = ({ ratings }: Printed, model: string, estimator: string) =>
  ratings.estimates.find(
    (row) =>
      row.model === model &&
      row.metric === 'mae' &&
      row.estimator === estimator &&
      row.aggregation === 'pooled',
  )!.value;

describe('evaluate --propensities', () => {
  it('weights ratings by their learned propensity and reports the file', async () => {
    const printed = await evaluated('--propensities', at('lr.json'));
    const { version, date, model } = await readPropensities(at('lr.json'));
    const learned = learnedPropensities(model);
    const chosen = ratingsIn(folder, 'chosen.ndjson');
    const chance = chosen.map(({ user, item, value }) =>
      learned.propensity(learned.userOf(user), learned.itemOf(item), value),
    );
    const delta = chosen.map(({ value }) => Math.abs(value - 3));
    expect(mae(printed, 'mean', 'snips')).toBeCloseTo(snipsRating(delta, chance), 9);
    const { source, file, weightShare } = printed.ratings.propensity;
    expect(source).toBe('file');
    expect(file).toMatchObject({ kind: 'lr', version, date });
    // Learned from these very ratings: the fit meets their sum, and all margins except those of the
    // tables.
    expect(Math.abs(weightShare - 1)).toBeLessThan(0.05);
    expect(file!.drift!.distance).toBeLessThan(file!.drift!.byChance);
  });

  it('comes closer to the mean error over all pairs than the naive mean', async () => {
    // Young users rate red items more often, and red items are rated higher.
    const truth = (model: string) => {
      const all = ratingsIn(folder, 'random.ndjson');
      const predicted = (item: string) =>
        model === 'mean' ? 3 : Number(item.slice(1)) % 4 === 0 ? 4 : 2.5;
      const errors = all.map(({ item, value }) => Math.abs(value - predicted(item)));
      return errors.reduce((sum, error) => sum + error, 0) / all.length;
    };
    const printed = await evaluated('--propensities', at('lr.json'));
    const gap = (estimator: string) => Math.abs(mae(printed, 'red', estimator) - truth('red'));
    expect(gap('snips')).toBeLessThan(gap('naive'));
    expect(gap('ips')).toBeLessThan(0.06);
  });

  it('prints version and date of the file, and whether the two kinds disagree', async () => {
    const { version, date, figures } = await readPropensities(at('both.json'));
    // Here users choose by features, not by rating, so the propensities of Naive Bayes are wrong.
    expect(figures.comparison).toMatchObject({ with: 'nb', doDisagree: true });
    const argv = ['evaluate', ...METRICS, ...EVENTS(), '--propensities', at('both.json')];
    const { stdout } = await run([...argv, '--all', '--html', at('report.html')], BODIES);
    const line = `Weighted by learned propensities: logistic regression, version ${version}, from ratings through ${date}.`;
    const words = stdout.replace(/\s+/g, ' ');
    expect(words).toContain(line);
    expect(words).toContain('Naive Bayes and logistic regression disagree');
    const html = readFileSync(at('report.html'), 'utf8');
    expect(html).toContain(`version ${version}, from ratings through ${date}`);
    expect(html).toContain('Naive Bayes and logistic regression disagree');
    const { findings, trust } = await evaluated('--propensities', at('both.json'));
    // Trust concerns metrics that these propensities do not weight.
    expect(trust.reasons.map(({ code }) => code)).not.toContain('propensities_disagree');
    expect(findings.map(({ code }) => code)).toContain('propensities_disagree');
    const alone = await evaluated('--propensities', at('lr.json'));
    expect(alone.findings.map(({ code }) => code)).not.toContain('propensities_disagree');
  });

  it('counts users, items and values that the file does not know', async () => {
    const late = ratingsIn(folder, 'chosen.ndjson')
      .slice(0, 90)
      .map((event, n) => {
        const id = { ...event, id: `late-${n}` };
        return JSON.stringify(n % 3 === 0 ? { ...id, user: `new-${n}` } : { ...id, item: `n${n}` });
      });
    writeFileSync(at('late.ndjson'), `${late.join('\n')}\n`);
    const events = ['--propensities', at('lr.json'), at('late.ndjson')];
    const { findings, ratings } = await evaluated(...events);
    expect(ratings.propensity.file!.unknown).toEqual({ users: 30, items: 60, values: 0 });
    expect(ratings.propensity.without).toBe(90);
    const found = findings.find(({ code }) => code === 'propensities_unknown')!;
    expect(found.figures).toMatchObject({ users: 30, items: 60, values: 0 });
    const { refusals } = ratings;
    expect(refusals.map(({ estimator }) => estimator)).toContain('ips');
  });

  it('reports a stale file and drifted item margins', async () => {
    const month = 40 * 86_400_000;
    const moved = ratingsIn(folder, 'chosen.ndjson').flatMap((event, n) => {
      const later = { ...event, id: `m-${n}`, ts: event.ts + month };
      return Number(event.item.slice(1)) < 8 ? [JSON.stringify(later)] : [];
    });
    writeFileSync(at('moved.ndjson'), `${moved.join('\n')}\n`);
    const argv = [...METRICS, '--propensities', at('lr.json'), '--events'];
    const { stdout } = await run(
      ['evaluate', '--json', ...argv, at('lists.ndjson'), at('moved.ndjson')],
      BODIES,
    );
    const { findings } = JSON.parse(stdout) as Printed;
    const codes = findings.map(({ code }) => code);
    expect(codes).toContain('propensities_stale');
    expect(codes).toContain('item_margins_drifted');
    const { findings: fresh } = await evaluated('--propensities', at('lr.json'));
    expect(fresh.map(({ code }) => code)).not.toContain('propensities_stale');
    expect(fresh.map(({ code }) => code)).not.toContain('item_margins_drifted');
  });

  it('weights ratings by their value with a Naive Bayes file', async () => {
    const printed = await evaluated('--propensities', at('nb.json'));
    const { model } = await readPropensities(at('nb.json'));
    const learned = learnedPropensities(model);
    const chosen = ratingsIn(folder, 'chosen.ndjson');
    const chance = chosen.map(({ value }) => learned.propensity(0, 0, value));
    const delta = chosen.map(({ value }) => Math.abs(value - 3));
    expect(mae(printed, 'mean', 'snips')).toBeCloseTo(snipsRating(delta, chance), 9);
    expect(printed.ratings.propensity.file!.drift).toMatchObject({ of: 'values', distance: 0 });
  });
});

describe('a propensity file', () => {
  const refused = async (message: string, ...argv: string[]) => {
    const { code, stderr, stdout } = await run(argv, BODIES);
    expect(code).not.toBe(0);
    expect(stdout).toBe('');
    expect(stderr).toContain(message);
    expect(stderr.trim().split('\n')).toHaveLength(1);
  };

  it('is refused in one line if it is missing, truncated or of another kind', async () => {
    const argv = ['evaluate', ...METRICS, ...EVENTS(), '--propensities'];
    await refused('none.json', ...argv, at('none.json'));
    writeFileSync(at('cut.json'), readFileSync(at('lr.json'), 'utf8').slice(0, -20));
    await refused('not a file of `unskew propensities`', ...argv, at('cut.json'));
    await refused('not a file of `unskew propensities`', ...argv, at('users.csv'));
  });

  it('is refused where it would have no effect', async () => {
    const file = ['--propensities', at('lr.json')];
    await refused(
      'ratings.propensities: expected a rating metric',
      'evaluate',
      ...EVENTS(),
      ...file,
    );
    const logged = [...file, '--set', 'ratings.propensity=logged'];
    await refused(
      'ratings.propensities, which is also set',
      'evaluate',
      ...METRICS,
      ...EVENTS(),
      ...logged,
    );
    const none = ['--set', 'ratings.propensity=file'];
    await refused('set ratings.propensities, which the value', 'evaluate', ...EVENTS(), ...none);
  });
});
