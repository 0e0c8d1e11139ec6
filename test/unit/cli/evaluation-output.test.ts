import { describe, expect, it } from 'vitest';
import { v1Window } from '../../../src/outputs/json/v1.js';
import {
  evaluationSummary,
  evaluationTable,
  toEvaluationJson,
} from '../../../src/outputs/text/evaluation.js';
import { paintFor } from '../../../src/outputs/text/paint.js';
import { Outcomes } from '../../../src/stream/outcomes.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { withheldOf } from '../../support/rows.js';

function outcomes(): Outcomes {
  const read = new Outcomes();
  read.faults[3] = 2;
  read.faults[5] = 1;
  read.duplicate = 4;
  read.late = 5;
  return read;
}

describe('the JSON of a window', () => {
  it('has the fields of the contract with the values of that window', () => {
    const snapshot = makeSnapshot();
    const json = JSON.parse(JSON.stringify(toEvaluationJson(snapshot, 1, outcomes())));
    const day = snapshot.windows[1]!;
    expect(json.schema).toBe('unskew/evaluation@1');
    expect(json.window).toEqual({ name: '24h', from: day.from, to: day.to });
    expect(json.counts).toEqual({ ...day.counts, faults: 3, duplicates: 4, late: 5 });
    expect(json.propensity).toMatchObject({ gamma: 2, beta: 1.5, source: 'last_good' });
    expect(json.propensity.fits.good.ols).toEqual(snapshot.propensity.fits['good']!.ols);
    expect(json.propensity.fits.good).not.toHaveProperty('curve');
    expect(json.popularity.interactions.gini).toBe(snapshot.popularity.interactions.gini);
    expect(json.popularity.exposures.popular.gini).toBe(
      snapshot.popularity.exposures['popular']!.gini,
    );
    expect(json.results).toHaveLength(day.results.length);
    const { results, differences } = v1Window(day);
    const { numerator: _n, denominator: _d, ...first } = results[0]!;
    expect(json.results[0]).toEqual(first);
    expect(json.differences).toEqual(differences);
    expect(json.differences).not.toHaveLength(0);
  });

  it('gives the sampling ratio, as the table does below 1', () => {
    const whole = makeSnapshot();
    const sample = { ...whole, sampling: { ratio: 1 / 8 } };
    expect(toEvaluationJson(whole, 0, outcomes()).sampling).toEqual({ ratio: 1 });
    expect(toEvaluationJson(sample, 0, outcomes()).sampling).toEqual({ ratio: 0.125 });
    expect(evaluationTable(whole, 0, outcomes())).not.toContain('1 user in');
    expect(evaluationTable(sample, 0, outcomes())).toContain('use 1 user in 8, sampled by hash,');
  });

  it('explains the guarantees that it contains, and no others', () => {
    const base = makeSnapshot({ windows: ['1h'] });
    const window = base.windows[0]!;
    const bound = { name: 'hoeffding' as const, lower: 0.1, upper: 0.9 };
    const results = [{ ...window.results[0]!, guarantees: [bound] }];
    const json = toEvaluationJson({ ...base, windows: [{ ...window, results }] }, 0, outcomes());
    expect(json.results[0]).toMatchObject({ guarantees: [bound] });
    expect(Object.keys(json.promises)).toEqual(['hoeffding']);
    expect(json.promises.hoeffding).toContain('95 %');
  });

  it('keeps a model that is called __proto__', () => {
    const json = JSON.stringify(
      toEvaluationJson(makeSnapshot({ models: ['__proto__'] }), 0, outcomes()),
    );
    expect(json.match(/"__proto__":\{/g)).toHaveLength(2);
  });

  it('writes undefined numbers as null', () => {
    const base = makeSnapshot({ windows: ['1h'] });
    const window = base.windows[0]!;
    const results = [{ ...window.results[0]!, stdErr: Number.NaN }];
    const json = toEvaluationJson({ ...base, windows: [{ ...window, results }] }, 0, outcomes());
    expect(JSON.parse(JSON.stringify(json)).results[0].stdErr).toBeNull();
  });
});

describe('the table of a window', () => {
  it('shows each value and error in its column, at most 100 columns wide', () => {
    const snapshot = makeSnapshot();
    const text = evaluationTable(snapshot, 0, outcomes());
    const lines = text.split('\n');
    for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(100);
    const start = lines.findIndex((line) => line.startsWith('recall@5: '));
    const [, , , names, ...values] = lines.slice(start);
    expect(names!.trim().split(/\s+/)).toEqual([
      'model',
      'naive',
      'snips',
      'gs',
      'skew',
      'wtd_h',
      'naive',
      'snips',
      'gs',
      'skew',
      'wtd_h',
    ]);
    const at = values.findIndex((line) => line.startsWith('  popular'));
    const rows = snapshot.windows[0]!.results.filter(
      (row) => row.model === 'popular' && row.metric === 'recall' && row.k === 5,
    );
    const inOrder = ['user', 'pooled'].flatMap((aggregation) =>
      rows.filter((row) => row.form === aggregation),
    );
    expect(values[at]!.trim().split(/\s+/)).toEqual([
      'popular',
      ...inOrder.map((row) => row.value.toFixed(4)),
    ]);
    expect(values[at + 1]!.trim().split(/\s+/)).toEqual([
      '±',
      ...inOrder.map((row) => row.stdErr.toFixed(4)),
    ]);
  });

  it('wraps its notes at 100 columns', () => {
    const base = makeSnapshot({ windows: ['1h'], models: ['good'] });
    const window = base.windows[0]!;
    const reason = 'weights single rows, but the metric needs a set of items';
    const refusals = (['snips', 'gs'] as const).flatMap((estimator) =>
      (['precision', 'map'] as const).map((metric) => ({ estimator, metric, reason })),
    );
    const ips = window.results
      .filter((row) => row.estimator === 'naive' && row.form === 'pooled')
      .map((row) => ({ ...row, estimator: 'ips' as const, scale: 'relative' as const }));
    const absoluteScale = {
      scale: 'relative' as const,
      passedOver: [{ scale: 'logged' as const, reason: 'no event carries a propensity' }],
      loggedShare: 0,
    };
    const own = { ...window, results: [...window.results, ...ips], refusals, absoluteScale };
    const text = evaluationTable({ ...base, windows: [own] }, 0, outcomes());
    for (const line of text.split('\n')) expect(line.length, line).toBeLessThanOrEqual(100);
    const said = text.replace(/\s+/g, ' ');
    expect(said).toContain(`snips, gs on precision, map are not available: each ${reason}.`);
    expect(said).toContain(
      'most popular item, so only ratios of estimates are meaningful), because better scales are not available: logged (no event carries',
    );
  });

  it('says what was counted and which γ was used', () => {
    const text = evaluationTable(makeSnapshot(), 0, outcomes());
    expect(text).toContain(
      '2,345 pairs, 1,234 positive, of 210 users and 180 items; 7 without a list',
    );
    expect(text).toContain('3 invalid, 4 duplicate, 5 late');
    expect(text).toContain('γ = 2.000 (last good fit), β = 1.500; ols fit ');
  });

  it('removes control characters from names', () => {
    const hostile = 'a\u001b[2J\u202eb\r\n\u009b31m';
    const text = evaluationTable(
      makeSnapshot({ models: [hostile, 'x'.repeat(500)] }),
      0,
      outcomes(),
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is what is tested
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
    for (const line of text.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  it('says if nothing is evaluated', () => {
    expect(evaluationTable(makeSnapshot({ models: [] }), 0, outcomes())).toContain(
      'Nothing is evaluated',
    );
  });
});

describe('the short text for a window', () => {
  const of = (model: string, estimator: 'naive' | 'snips', value: number) => ({
    ...makeSnapshot().windows[0]!.results[0]!,
    model,
    estimator,
    value,
    lower: value / 2,
    upper: value * 2,
    metric: 'recall' as const,
    k: 5,
    form: 'pooled' as const,
  });
  const base = makeSnapshot({ windows: ['1h'], models: ['blend', 'hidden', 'niche'] });
  const results = [
    of('blend', 'naive', 0.4),
    of('hidden', 'naive', 0.1),
    of('niche', 'naive', 0.1),
    of('blend', 'snips', 0.1),
    of('niche', 'snips', 0.2),
    withheldOf(of('hidden', 'snips', Number.NaN), 'caused_by_lists'),
  ];
  const snapshot = { ...base, windows: [{ ...base.windows[0]!, results }] };
  const text = evaluationSummary(snapshot, 0, outcomes());
  const lines = text.split('\n');

  it('opens with the verdict, its grounds and one row per model, best first', () => {
    expect(lines[0]).toBe('No verdict: verdicts are turned off (decision.metric is none).');
    expect(lines[1]).toBe('2,345 interactions of 210 users.');
    const start = lines.findIndex((line) => /^ +model/.test(line));
    const cells = lines.slice(start, start + 3).map((line) => line.trim().split(/\s{2,}/));
    // γ is that of the last good fit here, which no data confirm: there is no interval, nor a range.
    expect(cells).toEqual([
      ['model', 'recall@5, corrected', 'uncorrected'],
      ['niche', '0.200', '0.100'],
      ['blend', '0.100', '0.400'],
    ]);
  });

  it('names the code of each caution, and how many more there are', () => {
    const cautions = lines.filter((line) => line.includes('(unskew explain '));
    expect(cautions).toHaveLength(3);
    for (const line of cautions) expect(line).toMatch(/ \(unskew explain [a-z_]+\)$/);
    expect(lines.at(-2)).toMatch(/^\d+ more cautions?; 3 invalid events\. Details: --all$/);
  });

  it('has at most twelve lines, however many models and cautions', () => {
    for (const count of [1, 2, 5, 6, 12]) {
      const models = Array.from({ length: count }, (_, n) => `model-${n}`);
      const said = evaluationSummary(makeSnapshot({ models }), 1, outcomes());
      expect(said.trimEnd().split('\n').length, said).toBeLessThanOrEqual(12);
      if (count > 5) expect(said).toContain(`${count - 5} more model`);
    }
  });

  it('adds only colour codes if colours are on', () => {
    const painted = evaluationSummary(snapshot, 0, outcomes(), paintFor({ hasColor: true }));
    expect(painted).toContain('\u001b[1mNo verdict');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: that is what a colour begins with
    expect(painted.replace(/\u001b\[\d+m/g, '')).toBe(text);
    expect(text).not.toContain('\u001b');
  });
});
