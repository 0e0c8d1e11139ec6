import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { TERMS, termsIn } from '../../../src/rows/terms.js';

it('a term is marked where it first occurs as a whole word', () => {
  const pieces = termsIn('snips and gs; recalls, gsx and snips again, γ^γ, 95 % intervals.');
  const found = pieces.flatMap(({ text, term }) => (term === undefined ? [] : [text]));
  expect(found).toEqual(['snips', 'gs', 'γ', '95 % intervals']);
  expect(pieces.map(({ text }) => text).join('')).toBe(
    'snips and gs; recalls, gsx and snips again, γ^γ, 95 % intervals.',
  );
});

it('names of terms are unique, and the glossary gives the same meanings', () => {
  const names = TERMS.flatMap((term) => term.names);
  expect(new Set(names).size).toBe(names.length);
  const glossary = readFileSync('docs/glossary.md', 'utf8');
  for (const term of TERMS) {
    const row = glossary
      .split('\n')
      .find((line) => line.startsWith('| ') && line.endsWith(` | ${term.meaning} |`));
    expect(row?.split(' | ')[0], term.names[0]).toContain(term.names[0]);
  }
});
