import { stepsOf } from './doc-examples.js';
import { agrees, expectedValue } from './expected-value.js';

const ASKS = /[=!]==|[<>]=? /;

/** Run an example's steps in order, and report each that does not give its documented value. */
export function exampleFaults(code: string, scope: Readonly<Record<string, unknown>>): string[] {
  const steps = stepsOf(code);
  if (steps.length === 0) return ['it has no statement'];
  const faults: string[] = [];
  const check = (n: number, actual: unknown) => {
    const { code: step, expected } = steps[n];
    const text = expected ?? (ASKS.test(step) ? 'true' : undefined);
    if (text === undefined) return;
    const value = expectedValue(text);
    if (value === undefined) faults.push(`the comment states no value: ${text}`);
    else if (!agrees(actual, value)) {
      const given = ArrayBuffer.isView(actual) ? Array.from(actual as unknown as []) : actual;
      faults.push(`${step.replace(/;$/, '')} gives ${JSON.stringify(given)}, not ${text}`);
    }
  };
  const body = steps.map(({ code: step, isExpression }, n) =>
    isExpression ? `check(${n}, (${step.replace(/;$/, '')}));` : step,
  );
  const names = Object.keys(scope);
  const run = new Function(...names, 'check', `'use strict'; { ${body.join('\n')} }`);
  run(...names.map((name) => scope[name]), check);
  return faults;
}
