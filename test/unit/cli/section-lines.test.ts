import { expect, it } from 'vitest';
import { sectionLines } from '../../../src/outputs/text/section-lines.js';
import { names, numbers, type Table } from '../../../src/rows/table.js';
import { HOSTILE_SECTION } from '../../support/hostile-section.js';

it('puts pivoted values side by side, errors below, and replaces control characters', () => {
  const clean = 'a<b>\ufffd[2J\ufffd&"';
  const long = `ranker-${'x'.repeat(32)}…`;
  expect(sectionLines(HOSTILE_SECTION)).toEqual([
    '',
    `All there is: Of ${clean}, and loud.`,
    '  Noted.',
    '',
    'Numbers',
    '',
    `${' '.repeat(44)}over users    over all`,
    `  ${'model'.padEnd(40)}   naive  snips     naive`,
    `  ${clean.padEnd(40)}  0.5000      –    0.2500`,
    `  ${'  ±'.padEnd(40)}  0.0100      –    0.0200`,
    `  ${long.padEnd(40)}  0.7500      –         –`,
    `  ${'  ±'.padEnd(40)}  0.0300      –         –`,
    '',
    `Of ${clean}`,
    `  item  ${clean}  share`,
    `  i     ${'0.1'.padStart(clean.length)}    5 %`,
    `        ${'± 9'.padStart(clean.length)}`,
    `  j     ${'*0.2'.padStart(clean.length)}      –`,
  ]);
});

it('splits a wide table into blocks of 100 columns, and drops empty lines', () => {
  const forms = ['user', 'all'];
  const estimators = ['one', 'two', 'three', 'four', 'five', 'six', 'seven'];
  const lines = forms.flatMap((form) =>
    estimators.map((name) => ['m', form, name, '0.123456789', '–']),
  );
  const table: Table = {
    name: 'wide',
    title: 'Wide',
    lines: [...lines, ['n', 'all', 'one', '–', '–']],
    columns: ['model', 'form', 'estimator', 'value', '±'].map((title) => ({
      title,
      kind: 'number',
    })),
    pivot: [1, 2],
  };
  const section = { name: 's', title: 'S', lead: [], blocks: [{ tables: [table] }] };
  const shown = sectionLines(section);
  for (const line of shown) expect(line.length).toBeLessThanOrEqual(100);
  expect(shown.filter((line) => line.includes('one'))).toHaveLength(2);
  expect(shown.filter((line) => line.includes('seven'))).toHaveLength(2);
  expect(shown.filter((line) => /^ +n\b/.test(line))).toEqual([]);
});

it('prints nothing for a section without values or with asides only', () => {
  const lines = [['m', '–']];
  const columns = [...names('model'), ...numbers('value')];
  const empty = { name: 't', title: 'T', columns, lines };
  const none = { name: 's', title: 'S', lead: [], blocks: [{ title: ['Of'], tables: [empty] }] };
  expect(sectionLines(none)).toEqual([]);
  expect(sectionLines({ ...none, lead: ['Said.'] })).toEqual(['', 'S: Said.']);
  const blocks = [{ tables: [], isAside: true as const }];
  expect(sectionLines({ name: 's', title: 'S', lead: [], blocks })).toEqual([]);
});
