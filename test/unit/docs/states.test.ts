import { readFileSync } from 'node:fs';
import { Registry } from 'prom-client';
import { expect, it } from 'vitest';
import { registerStates } from '../../../src/outputs/prometheus/state-series.js';
import { AWAY_PARTS, AWAY_WORDS } from '../../../src/rows/findings/away.js';
import { STATE_CODES } from '../../../src/rows/findings/state.js';
import { rules } from '../../support/rules.js';

const text = (name: string) =>
  readFileSync(new URL(`../../../docs/${name}`, import.meta.url), 'utf8');

/** The rows of the table of states: code, when it holds, and its alerts. */
const ROWS = [
  ...text('http.md').matchAll(/^\| `(\w+)` \| ([^|]+) \| ((?:`Unskew|none: )[^|]+) \|$/gm),
];

it('the table of states lists every state in the order of reporting', () => {
  expect(ROWS.map(([, code]) => code)).toEqual([...STATE_CODES]);
  expect(STATE_CODES.length).toBeLessThanOrEqual(24);
});

it('every state has an alert with a runbook section, or passes by itself', () => {
  const known = new Set(rules().flatMap(({ alert }) => alert ?? []));
  const runbook = text('runbook.md');
  for (const [, code, , alerts] of ROWS) {
    if (alerts === 'none: it passes') continue;
    const named = [...alerts!.matchAll(/`(\w+)`/g)].map(([, name]) => name!);
    expect(named.length, code).toBeGreaterThan(0);
    for (const name of named) {
      expect(known, code).toContain(name);
      expect(runbook, code).toContain(`## ${name}\n`);
    }
  }
});

it('every state except stream_cut has a series, also while it does not hold', async () => {
  const registry = new Registry();
  registerStates(registry, () => [{ code: 'away' }]);
  const exposed = await registry.metrics();
  const series = [...exposed.matchAll(/^unskew_state\{state="(\w+)"\} ([01])$/gm)];
  const codes = STATE_CODES.filter((code) => code !== 'stream_cut');
  expect(series.map(([, code]) => code)).toEqual(codes);
  expect(series.filter(([, , value]) => value === '1').map(([, code]) => code)).toEqual(['away']);
});

it('every part that can be away is in the table and has a remedy', () => {
  const [, , when] = ROWS.find(([, code]) => code === 'away')!;
  for (const part of AWAY_PARTS) {
    expect(when).toContain(`\`${part}\``);
    const { remedy } = AWAY_WORDS[part];
    expect((typeof remedy === 'string' ? remedy : remedy(undefined)).length).toBeGreaterThan(20);
  }
});
