import { describe, expect, it } from 'vitest';
import { codePages } from '../../../src/commands/cli/explain.js';
import { ERROR_CODES } from '../../../src/errors.js';
import { RATING_METRICS } from '../../../src/estimators/metrics/rating-metrics.js';
import { METRICS } from '../../../src/estimators/metrics/registry.js';
import { NO_VERDICT_CAUSES } from '../../../src/features/verdict.js';
import { STATE_CODES } from '../../../src/rows/findings/state.js';
import { FINDING_CODES } from '../../../src/rows/findings/words.js';
import { run } from './fake-io.js';

/** All codes that the output may name. */
const NAMED = new Set<string>([
  ...FINDING_CODES,
  ...STATE_CODES,
  ...NO_VERDICT_CAUSES,
  ...Object.keys(ERROR_CODES),
  ...METRICS,
  ...RATING_METRICS,
  'no_other_rows',
]);

describe('explain', () => {
  it('has a page for every code that the output may name', () => {
    const explained = new Set(codePages().flatMap(({ codes }) => codes));
    expect([...NAMED].filter((code) => !explained.has(code))).toEqual([]);
  });

  it('explains no unused code, and no code twice', () => {
    const codes = codePages().flatMap((page) => page.codes);
    expect(codes.filter((code) => !NAMED.has(code))).toEqual([]);
    expect(codes.filter((code, at) => codes.indexOf(code) !== at)).toEqual([]);
  });

  it('has at least a sentence for each code', () => {
    const short = codePages().filter(({ text }) => text.length < 40);
    expect(short).toEqual([]);
  });

  it('prints the page of a code', async () => {
    const { code, stdout, stderr } = await run(['explain', 'clock_off']);
    expect(stdout).toBe(
      'clock_off\n\nThe clock of the machine is off, so ages of events cannot be trusted. Set it.\n',
    );
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  });

  it('explains the terms of the glossary, too', async () => {
    const { code, stdout } = await run(['explain', 'snips']);
    expect(stdout).toBe(
      'snips\n\nEstimator: sum over interactions weighted by 1 / propensity, divided by the sum of the weights.\n',
    );
    expect(code).toBe(0);
  });

  it('explains alerts by the runbook', async () => {
    const { code, stdout } = await run(['explain', 'UnskewDrift']);
    expect(stdout).toMatch(/^UnskewDrift\n\nA monitored series has changed/);
    expect(stdout).not.toContain('##');
    expect(code).toBe(0);
  });

  it('names the pages related to a code, and prints no Markdown', async () => {
    const { stdout } = await run(['explain', 'alarm']);
    expect(stdout).toContain('See drift (docs/drift.md).');
    expect(stdout).toContain('See also: learning, detectors_learn.');
    expect(stdout).not.toMatch(/[`[*]/);
  });

  it('lists all codes without an argument', async () => {
    const { stdout } = await run(['explain']);
    for (const code of NAMED) expect(stdout).toMatch(new RegExp(`(^|[ ,])${code}($|,)`, 'm'));
  });

  it('rejects an unknown code', async () => {
    const { code, stderr } = await run(['explain', 'gama_assumed']);
    expect(code).toBe(2);
    expect(stderr).toContain('unknown code gama_assumed; unskew explain lists all codes');
  });
});
