import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import {
  type DocExample,
  docExamples,
  examplesOf,
  exportsOf,
  namesOf,
  stepsOf,
} from '../../support/examples/doc-examples.js';
import { exampleFaults } from '../../support/examples/run-example.js';

const SRC = fileURLToPath(new URL('../../../src/', import.meta.url));
const EXAMPLES = docExamples(SRC);
const EXPORTS = exportsOf(SRC);

describe('the example', () => {
  it.each(EXAMPLES.map((each) => [`${each.file}:${each.line}`, each] as const))(
    'at %s gives the values that it states',
    async (_, example) => {
      expect(exampleFaults(example.code, await scopeOf(example))).toEqual([]);
    },
  );
});

it('over 100 examples are found, and over 80 % of them state a value', () => {
  const steps = EXAMPLES.map(({ code }) => stepsOf(code));
  expect(steps.length).toBeGreaterThan(100);
  const stating = steps.filter((each) => each.some(({ expected }) => expected !== undefined));
  expect(stating.length / steps.length).toBeGreaterThan(0.8);
});

describe('a wrong example is reported', () => {
  const scope = { half: (n: number) => n / 2 };
  it.each([
    ['half(3); // 1.4', 'half(3) gives 1.5, not 1.4'],
    ['half(3) === 1', 'half(3) === 1 gives false, not true'],
    ['[half(2), half(4)]; // [1]', '[half(2), half(4)] gives [1,2], not [1]'],
    ['half(3); // about one and a half', 'the comment states no value: about one and a half'],
    ['// half(3) is 1.5', 'it has no statement'],
  ])('%s', (code, fault) => {
    const [example] = examplesOf('a.ts', `/**\n * Halves.\n *\n * @example\n * ${code}\n */`);
    expect(exampleFaults(example.code, scope)).toEqual([fault]);
  });
});

/** What the example's own module exports, and what it uses of others. */
async function scopeOf({ file, code }: DocExample): Promise<Record<string, unknown>> {
  const own = await import(`${SRC}${file}`);
  const scope: Record<string, unknown> = {};
  for (const name of namesOf(code)) {
    if (name in own) scope[name] = own[name];
    else if (EXPORTS.has(name)) scope[name] = (await import(SRC + EXPORTS.get(name)![0]))[name];
  }
  return scope;
}
