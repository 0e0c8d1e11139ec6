import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';

const DOCS = new URL('../../../docs/', import.meta.url);
const text = readFileSync(new URL('promises.md', DOCS), 'utf8');
const rows = text
  .split('\n')
  .filter((line) => /^\| (?!fault|---)/.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));

it('every promise names tests that there are, by their names', () => {
  expect(rows.length).toBeGreaterThan(30);
  for (const [fault, , , shownBy = ''] of rows) {
    // What is not protected says so where its test would stand.
    if (shownBy === '–') {
      expect(rows.find(([each]) => each === fault)?.[1], fault).toMatch(/^Not protected/);
      continue;
    }
    const shown = [...shownBy.matchAll(/\[[^\]]+\]\(([^)]+)\)|\*([^*]+)\*/g)];
    expect(shown.length, fault).toBeGreaterThan(0);
    let source = '';
    for (const [, file, name] of shown) {
      if (file !== undefined) {
        const place = new URL(file, DOCS);
        expect(existsSync(place), `${fault}: ${file}`).toBe(true);
        source = readFileSync(place, 'utf8');
      } else expect(source, `${fault}: ${name}`).toContain(name);
    }
  }
});
