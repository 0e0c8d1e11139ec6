import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { reproducedPages } from '../../../docs/reproduced-page.js';
import { movedRows, savedTables } from '../../reproduce/saved.js';
import { within } from '../../reproduce/table.js';
import { REPRODUCTIONS } from '../../reproduce/tables.js';
import { yangTable1 } from '../../reproduce/yang-table-1.js';

const DOCS = new URL('../../../docs/', import.meta.url);
const text = (name: string) => readFileSync(new URL(name, DOCS), 'utf8');

describe('the reproduction page', () => {
  it('matches the saved tables, with exactly one picture for each', () => {
    const { page, pictures } = reproducedPages(savedTables());
    expect(text('reproduced.md')).toBe(page);
    for (const [name, svg] of pictures) expect(text(`reproduced/${name}`)).toBe(svg);
    expect(readdirSync(new URL('reproduced/', DOCS)).sort()).toEqual([...pictures.keys()].sort());
  });

  it('covers every reproduction, and yang-table-1 gives its saved numbers again', () => {
    expect(Object.keys(savedTables())).toEqual(Object.keys(REPRODUCTIONS));
    expect(movedRows('yang-table-1', [yangTable1()])).toEqual([]);
  });

  it('names rows outside tolerance and draws them at the edge of the strip', () => {
    const rows = [within('a < b', '2', 1, 1, 0.1), within('c', '–', 9, 1, 0.1)];
    const { page, pictures } = reproducedPages({ t: [{ title: 'T', rows, note: 'one\ntwo' }] });
    expect(page).toContain('1 of 2 within tolerance; off: c');
    expect(page).toContain('\none two\n');
    const svg = pictures.get('t.svg')!;
    expect(svg).toContain('a &lt; b');
    // The dot in the middle, the ring and the dot that is off at the right edge.
    expect([...svg.matchAll(/class="(\w+)" cx="([\d.]+)"/g)].map(([, is, x]) => [is, x])).toEqual([
      ['paper', '840'],
      ['ours', '765'],
      ['off', '840'],
    ]);
  });

  it('reports numbers that differ from the saved ones', () => {
    const [table] = savedTables()['yang-table-1']!;
    const rows = table!.rows.map((row, r) => (r === 1 ? { ...row, ours: '0.123' } : row));
    expect(movedRows('yang-table-1', [{ ...table!, rows }])).toEqual([
      `${rows[1]!.what}: 0.123, not as saved`,
    ]);
    expect(movedRows('yang-table-1', [{ ...table!, rows: [] }])).toHaveLength(1);
  });
});
