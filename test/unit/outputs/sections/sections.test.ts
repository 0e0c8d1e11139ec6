import { describe, expect, it } from 'vitest';
import { onPolicySection } from '../../../../src/features/on-policy/output.js';
import { segmentsSection } from '../../../../src/features/segments/output.js';
import type { SegmentRow } from '../../../../src/features/segments/segment-rows.js';
import { valuesSection, valueTable } from '../../../../src/features/values/output.js';
import { reason } from '../../../../src/features/values/reasons.js';
import {
  differencesSection,
  sensitivitySection,
} from '../../../../src/outputs/sections/estimates.js';
import { exposureSection } from '../../../../src/outputs/sections/exposure.js';
import { estimateTable } from '../../../../src/outputs/sections/number-tables.js';
import { rankingSection } from '../../../../src/outputs/sections/ranking.js';
import {
  controlSection,
  drawnSection,
  weightsSection,
} from '../../../../src/outputs/sections/weights.js';
import { windowSections } from '../../../../src/outputs/sections/window-sections.js';
import { plainText } from '../../../../src/rows/findings/sentence.js';
import { pivoted, type Section, spread } from '../../../../src/rows/table.js';
import { makeSnapshot } from '../../../fixtures/snapshot.js';
import {
  differenceOf,
  estimateOf as rowOf,
  shownOf,
  valueDifferenceOf,
  valueRowOf,
} from '../../../support/rows.js';

const snapshot = makeSnapshot();
const window = snapshot.windows[0]!;
const none = Number.NaN;
const NONE = { value: none, stdErr: none, lower: none, upper: none };
const OF_A = { model: 'a', metric: 'recall', k: 5, estimator: 'snips' } as const;
const ESTIMATE = { ...OF_A, aggregation: 'user', value: 0.5, stdErr: 0.1, lower: 0.3, upper: 0.7 };
const estimateOf = (more: object) =>
  rowOf({ ...ESTIMATE, gammaStdErr: 0, guarantees: [], ess: 1234, ...more } as never);

const tablesOf = (section: Section | null) => section!.blocks.flatMap(({ tables }) => tables);
const linesOf = (section: Section | null) => tablesOf(section).flatMap(({ lines }) => lines);

describe('estimates', () => {
  it('have errors, intervals and effective sample sizes unless they are withheld', () => {
    const bound = { name: 'hoeffding', lower: 0.1, upper: 0.9 };
    const rows = [
      estimateOf({ gammaStdErr: 0.02, samplingStdErr: 0.03, guarantees: [bound] }),
      estimateOf({ ess: 12.34 }),
      estimateOf({ ...NONE, withheld: 'caused_by_lists' }),
      estimateOf({ value: null, stdErr: null, lower: null, upper: null, ess: null }),
    ];
    const name = [{ name: 'a' }, 'mean over users', 'snips'];
    const error = { words: '0.1000', notes: [] };
    expect(estimateTable('t', rows).lines).toEqual([
      [
        ...name,
        '0.5000',
        { words: '0.1000', notes: ['γ 0.0200', 'one draw 0.0300'] },
        { words: '0.3000 to 0.7000', notes: ['hoeffding: 0.1000 to 0.9000'] },
        '1,234',
      ],
      [
        ...name,
        '0.5000',
        error,
        { words: '0.3000 to 0.7000', notes: [] },
        { words: 'only 12.3', mark: 'low' },
      ],
      [...name, { words: '–', notes: ['not reported'] }, '–', '–', '–'],
      [...name, '–', { words: '–', notes: [] }, { words: '–', notes: [] }, '–'],
    ]);
  });

  it('are side by side by form and estimator, with details below each value', () => {
    const rows = [
      estimateOf({}),
      estimateOf({ aggregation: 'pooled' }),
      estimateOf({ model: 'b' }),
    ];
    const table = estimateTable('t', rows);
    const { heads, lines } = pivoted(table);
    expect(heads).toEqual([
      { over: 'mean over users', title: 'snips' },
      { over: 'over all events', title: 'snips' },
    ]);
    expect(lines.map(({ cells }) => cells.map((own) => own?.[0]))).toEqual([
      ['0.5000', '0.5000'],
      ['0.5000', undefined],
    ]);
    const [, [, cell, missing]] = spread(table).lines;
    expect(cell).toMatchObject({ words: ['0.5000'] });
    expect(JSON.stringify(cell)).toMatch(/± .*0\.1000.*0\.3000 to 0\.7000.*1,234.*eff\. users/);
    expect(missing).toBe('–');
  });

  it('have differences, with a direction if these exclude 0', () => {
    const own = { ...OF_A, ess: 40, aggregation: 'pooled', reference: 'r' } as const;
    const rows = [
      { ...own, value: 0.2, stdErr: 0.05, lower: 0.1, upper: 0.3 },
      { ...own, value: -0.2, stdErr: 0.05, lower: -0.3, upper: 0.1 },
      { ...own, ...NONE, withheld: 'own_lists' as const },
    ].map((row) => differenceOf(row));
    const cells = linesOf(differencesSection(rows, [], null)).map((line) => line.slice(3));
    expect(cells).toEqual([
      [{ words: '▲ +0.2000', mark: 'better' }, '0.0500', '+0.1000 to +0.3000'],
      ['○ −0.2000', '0.0500', '−0.3000 to +0.1000'],
    ]);
    expect(differencesSection(rows.slice(2), [], null)).toBeNull();
  });

  it('state in how many measures each model beats the built-in one', () => {
    const row = (estimator: 'naive' | 'snips', difference: number) => ({
      model: 'm',
      metric: 'recall' as const,
      k: 5,
      aggregation: 'user' as const,
      estimator,
      difference,
    });
    const rows = [row('naive', 0.1), row('naive', 0), row('snips', -0.1)];
    const section = differencesSection([], rows, 'popular');
    const { lead } = section!.blocks.at(-2)!;
    expect(plainText(lead!)).toContain(
      'Number of measures in which m beats popularity, by estimator: naive 1/2, snips 0/1.',
    );
    expect(linesOf(section).map((line) => line.at(-1))).toEqual([
      { words: '▲ +0.1000', mark: 'better' },
      '○ 0.0000',
      { words: '▼ −0.1000', mark: 'worse' },
    ]);
  });

  it('have the values of γ at which models change places', () => {
    const band = { model: 'a', lower: 0.1, upper: 0.4, naive: 0.4, equal: none };
    const flips = [{ below: 'a', above: 'b', gamma: 0.25, isOfLeaders: true }];
    const own = { metric: 'recall', k: 5, bands: [band], flips, tails: [] } as const;
    expect(linesOf(sensitivitySection([own]))).toEqual([
      [{ name: 'a' }, '0.4000', '–', '0.1000 to 0.4000', [{ name: 'b' }, ' at γ = ', '0.25']],
    ]);
    expect(sensitivitySection([])).toBeNull();
  });

  it('are ranked if there are two models, with the pairs that flip', () => {
    expect(rankingSection({ ...window, models: window.models.slice(1) })).toBeNull();
    const agreement = { metric: 'recall', k: 5, aggregation: 'user', tau: -1 } as const;
    const estimators = ['naive', 'snips'] as const;
    const agreements = [{ ...agreement, estimators, flips: [['good', 'popular']] as const }];
    const flips = tablesOf(rankingSection({ ...window, agreements })).at(-1)!;
    const at = flips.columns.findIndex(({ title }) => title === 'snips');
    expect(flips.lines).toHaveLength(1);
    expect(flips.lines[0]![0]).toEqual([{ name: 'good' }, ' before ', { name: 'popular' }]);
    expect(flips.lines[0]![at]).toEqual(['recall@5']);
  });
});

describe('values', () => {
  it('have a conclusion; bounds are marked, and refused values have no number', () => {
    const few = reason('mostly_unsupported', 'bound', { coverage: 0.2, least: 0.5 });
    const apart = reason('arms_disagree', 'refused', { z: 5, most: 3 });
    const little = reason('few_rewards', 'undecided', { ess: 12, least: 30 });
    const values = [
      valueRowOf(),
      valueRowOf({ model: 'b', coverage: 0.2, reasons: [few, little] }),
      valueRowOf({ model: 'c', ...NONE, coverage: none, reasons: [few, apart] }),
      valueRowOf({ model: 'd', reasons: [little] }),
    ];
    const differences = [
      valueDifferenceOf(),
      valueDifferenceOf({ model: 'b', value: -0.5, upper: none, lower: -0.7, proved: 'worse' }),
      valueDifferenceOf({ model: 'c', ...NONE, withheld: 'heavy_row', proved: null }),
      valueDifferenceOf({ model: 'd', lower: none, proved: null }),
    ];
    const section = valuesSection(values, differences);
    const [own, beside] = tablesOf(section).map(({ lines }) => lines.map((line) => line.slice(2)));
    const percent = (share: number) => `${share}\u00a0%`;
    expect(own).toEqual([
      ['1.5000', '0.2500', '1.0000 to 2.0000', percent(100), '100', 'yes'],
      ['≥ 1.5000', '0.2500', 'from 1.0000', percent(20), '100', 'lower bound'],
      ['–', '–', '–', '–', '100', 'not given'],
      ['1.5000', '0.2500', '1.0000 to 2.0000', percent(100), '100', 'too few rewards'],
    ]);
    expect(beside).toEqual([
      ['+1.0000', '+0.5000 to +1.5000', 'better'],
      ['−0.5000', 'from −0.7000', 'worse'],
      ['+1.0000', 'up to +1.5000', '–'],
    ]);
    expect(plainText(section!.blocks[1]!.title!)).toBe('Difference from b (on_policy)');
    const table = valueTable(values, differences);
    expect(table.lines.map((line) => line.slice(-2))).toEqual([
      [{ words: '+1.0000', notes: ['+0.5000 to +1.5000'] }, 'better'],
      [{ words: '−0.5000', notes: ['from −0.7000'] }, 'worse'],
      ['–', '–'],
      [{ words: '+1.0000', notes: ['up to +1.5000'] }, '–'],
    ]);
    expect(valuesSection(values, [differences[2]!])!.blocks).toHaveLength(1);
    expect(valuesSection([], [])).toBeNull();
  });

  it('of served lists have their numbers of lists and users', () => {
    const value = { model: 'a', value: 2, stdErr: 0.5, lower: none, upper: none, ess: 3 };
    const row = shownOf({ ...value, lists: 1200, users: 3 });
    expect(linesOf(onPolicySection([row]))).toEqual([
      [{ name: 'a' }, '2.0000', '0.5000', '–', '1,200', '3'],
    ]);
  });
});

describe('the evidence behind the numbers', () => {
  it('includes weights by size, models, effective sample sizes and interventions', () => {
    const [own] = window.interventions;
    const section = weightsSection({
      weightDistribution: [{ from: 0.5, rows: 3, weightShare: 0.25 }],
      models: [{ model: 'a', users: 2000, events: 3, unranked: 0, singletonUserRatio: 0.5 }],
      effectiveSampleSizes: [
        { model: 'a', estimator: 'snips', events: 40, users: 12.34, largestShare: 0.1 },
      ],
      interventions: [{ ...own!, estimator: 'wtd_h', distance: 0.125, rows: 10, expected: 5 }],
    });
    const [weights, sizes, models, interventions] = tablesOf(section!);
    expect(weights!.lines).toEqual([
      ['1/2–1 ×', { words: '100.0\u00a0%', share: 1 }, { words: '25.0\u00a0%', share: 0.25 }],
    ]);
    expect(models!.lines).toEqual([[{ name: 'a' }, '2,000', '50.0\u00a0%', '3']]);
    expect(sizes!.lines).toEqual([
      [{ name: 'a' }, 'snips', { words: 'only 12.3', mark: 'low' }, '40', '10.0\u00a0%'],
    ]);
    expect(interventions!.lines[0]!.slice(0, 2)).toEqual(['wtd_h', '10 → 5']);
    expect(interventions!.lines[0]![3]).toBe('0.125');
  });

  it('includes drawn sets next to the estimate that they should match', () => {
    const drawn = [{ ...estimateOf({}), draws: 20, mean: 0.4321, stdDev: 0.0123 }];
    const results = [
      estimateOf({ aggregation: 'pooled', value: 0.9 }),
      estimateOf({ value: 0.4444 }),
    ];
    const section = drawnSection({ drawn, results });
    expect(plainText(section!.lead)).toContain(
      'Mean and standard deviation of each estimate over 20 drawn test sets',
    );
    expect(linesOf(section)[0]!.slice(4)).toEqual(['0.4321', '0.0123', '0.4444']);
    expect(drawnSection({ drawn: [], results: [] })).toBeNull();
  });

  it('includes randomised traffic, marked where it differs by more than chance', () => {
    const cell = { organic: 10, randomized: 10, weightShare: 0.25, randomizedShare: 0.5 };
    const section = controlSection([
      { ...cell, userGroup: null, decile: 0, z: -3.5 },
      { ...cell, userGroup: 2, decile: 0, z: none },
      { ...cell, userGroup: null, decile: 9, z: 2.9 },
    ]);
    const shares = '25.0\u00a0% · 50.0\u00a0%';
    expect(linesOf(section)).toEqual([
      ['decile 1, least popular', 'all users', shares, { words: '−3.5', mark: 'low' }],
      ['decile 1, least popular', 'most active third', shares, 'too few events'],
      ['decile 10, most popular', 'all users', shares, '2.9'],
    ]);
    expect(controlSection([])).toBeNull();
  });

  it('includes the concentration of exposure, with a dash where nothing was counted', () => {
    const { interactions } = snapshot.popularity;
    const counted = { ...interactions, total: 1000, gini: 0.5, coverage: 0.25, topShare: 0.125 };
    const popularity = {
      interactions: { ...counted, averagePopularity: 12.34 },
      exposures: { idle: { ...counted, total: 0 } },
    };
    const [concentration, fits] = tablesOf(exposureSection({ ...snapshot, popularity }));
    expect(concentration!.lines).toEqual([
      ['interactions', '1,000', '0.500', '25.0\u00a0%', '12.5\u00a0%', '12.3'],
      [{ name: 'idle' }, '0', '–', '–', '–', '–'],
    ]);
    expect(fits!.lines[0]![0]).toBe('all models');
  });
});

describe('segments', () => {
  it('are those of the leading estimator, largest first, with a dash for few users', () => {
    const rowOf = (value: string | null, rows: number, more: Partial<SegmentRow> = {}) =>
      ({
        ...ESTIMATE,
        aggregation: 'pooled',
        estimate: 0.5,
        share: 0.5,
        isHidden: false,
        dimension: 'country',
        kind: value === null ? 'missing' : 'value',
        value,
        rows,
        difference: null,
        ...more,
      }) as SegmentRow;
    const found = { isFound: true } as SegmentRow['difference'];
    const rows = [
      rowOf('de', 10, { isHidden: true }),
      rowOf(null, 2000, { difference: found }),
      rowOf('fr', 9, { estimator: 'naive' }),
    ];
    expect(linesOf(segmentsSection(rows))).toEqual([
      [
        '(not stated)',
        '2,000',
        '50.0\u00a0%',
        { name: 'a' },
        { words: '0.5000', mark: 'changed' },
        '0.300 to 0.700',
      ],
      [{ name: 'de' }, '10', '50.0\u00a0%', { name: 'a' }, '–', '–'],
    ]);
    expect(segmentsSection([])).toBeNull();
  });
});

it('the leading numbers come before all others', () => {
  const namesOf = (leads: 'values' | 'estimates') =>
    windowSections(snapshot, { ...window, values: [valueRowOf()], leads }).map(({ name }) => name);
  expect(namesOf('values').slice(0, 3)).toEqual(['values', 'ranking', 'estimates']);
  expect(namesOf('estimates').slice(0, 3)).toEqual(['ranking', 'estimates', 'values']);
});
