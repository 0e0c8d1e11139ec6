import { readFileSync } from 'node:fs';
import ts from 'typescript';
import { expect, it } from 'vitest';
import { drawMutants } from '../../nightly/mutants/candidates.js';

it('a seed always gives the same mutants, which are valid and do not overlap', () => {
  const drawn = drawMutants(12, 7, ['estimators/rules']);
  expect(drawn).toHaveLength(12);
  expect(drawMutants(12, 7, ['estimators/rules'])).toEqual(drawn);
  for (const { file, start, end, text, changed } of drawn) {
    const code = readFileSync(file, 'utf8');
    expect(code.slice(start, end)).toBe(text);
    expect(changed).not.toBe(text);
    const mutated = `${code.slice(0, start)}(${changed})${code.slice(end)}`;
    const { diagnostics } = ts.transpileModule(mutated, { reportDiagnostics: true });
    expect(diagnostics).toEqual([]);
    const others = drawn.filter((other) => other.file === file && other.start !== start);
    expect(others.some((other) => other.start < end && start < other.end)).toBe(false);
  }
});
