import { expect, it } from 'vitest';
import {
  USED_GAMMA_SOURCES,
  type UsedGammaSource,
} from '../../../src/estimators/propensity/gamma-source.js';
import { parseSeriesKey } from '../../../src/outputs/history/series.js';
import { tickValues } from '../../../src/outputs/history/tick-values.js';
import { sourceMarks } from '../../../src/page/charts/mark.js';
import { SeriesTable } from '../../../src/page/charts/series-table.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';

/** Series of γ as the history keeps them of ticks a minute apart. */
function tableOf(sources: readonly UsedGammaSource[]): SeriesTable {
  const table = new SeriesTable();
  sources.forEach((source, minute) => {
    const snapshot = makeSnapshot({ windows: [] });
    const propensity = { ...snapshot.propensity, source };
    const values = [...tickValues({ ...snapshot, propensity }, { topics: [] })].flatMap(
      ([key, value]) => {
        const { kind, labels, value: name } = parseSeriesKey(key)!;
        return kind === 'propensity' ? [[labels, name, value] as const] : [];
      },
    );
    table.append(60_000 * minute, values);
  });
  return table;
}

it('only changes of the γ source are marked', () => {
  const table = tableOf(['assumed', 'assumed', 'calibrated', 'calibrated', 'fit']);
  expect(sourceMarks(table).map(({ at, kind, text }) => [at, kind, text])).toEqual([
    [120_000, 'source', 'γ: calibrated with randomised traffic'],
    [240_000, 'source', 'γ: fitted'],
  ]);
  expect(sourceMarks(tableOf(['fixed', 'fixed']))).toEqual([]);
});

it('a change to any γ source is marked', () => {
  for (const source of USED_GAMMA_SOURCES) {
    const before = source === 'fixed' ? 'fit' : 'fixed';
    expect(sourceMarks(tableOf([before, source]))).toHaveLength(1);
  }
});

it('ticks without a γ source, such as older ones, are not marked', () => {
  const table = tableOf(['assumed']);
  table.append(60_000, []);
  expect(sourceMarks(table)).toEqual([]);
});
