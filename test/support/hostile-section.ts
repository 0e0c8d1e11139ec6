import type { Section } from '../../src/rows/table.js';

export const HOSTILE_NAME = 'a<b>\u001b[2J\u202e&"';
export const LONG_NAME = `ranker-${'x'.repeat(60)}-v7`;

const LINES: [name: string, form: string, estimator: string, value: string, error: string][] = [
  [HOSTILE_NAME, 'over users', 'naive', '0.5000', '0.0100'],
  [HOSTILE_NAME, 'over all', 'naive', '0.2500', '0.0200'],
  [HOSTILE_NAME, 'over users', 'snips', '–', '–'],
  [LONG_NAME, 'over users', 'naive', '0.7500', '0.0300'],
];

/** A section with all that a table may have: two pivots, marks, notes, a bar and names of no one’s making. */
export const HOSTILE_SECTION: Section = {
  name: 'all',
  title: 'All there is',
  lead: ['Of ', { name: HOSTILE_NAME }, ', and ', { strong: 'loud' }, '.'],
  notes: [['Noted.']],
  blocks: [
    {
      title: ['Numbers'],
      tables: [
        {
          name: 'numbers',
          title: 'Numbers of ours',
          columns: [
            { title: 'model', kind: 'name' },
            { title: 'mean', kind: 'text' },
            { title: 'estimator', kind: 'text' },
            { title: 'value', kind: 'number' },
            { title: '±', kind: 'number' },
            { title: '95 % interval', kind: 'interval' },
          ],
          lines: LINES.map(([name, ...cells]) => [{ name }, ...cells, '0 to 1']),
          pivot: [1, 2],
        },
      ],
    },
    {
      tables: [
        {
          name: 'plain',
          title: ['Of ', { name: HOSTILE_NAME }],
          columns: [
            { title: 'item', kind: 'name' },
            { title: { name: HOSTILE_NAME }, kind: 'number' },
            { title: 'share', kind: 'number' },
          ],
          lines: [
            ['i', { words: '0.1', mark: 'low', notes: ['± 9'] }, { words: '5 %', share: 0.05 }],
            ['j', { words: '0.2', mark: 'changed' }, '–'],
          ],
        },
      ],
    },
    { title: ['Aside'], tables: [], isAside: true },
  ],
};
