import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type ConfigSources, readConfig } from '../../../src/config.js';

const ADVICE =
  'shadow was removed: run unskew train on a schedule, and send its lists as exposure events (docs/baselines.md)';

let file: string;
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-former-keys-'));
  file = join(folder, 'unskew.yaml');
  writeFileSync(file, 'time:\n  tick: 1m\nshadow:\n  kind: mf\n  range: 7d\n');
});
afterAll(() => rmSync(folder, { recursive: true }));

it.each<[string, () => ConfigSources, () => string]>([
  ['a file', () => ({ file, env: {} }), () => `${file}:4`],
  ['a variable', () => ({ env: { UNSKEW_SHADOW_KIND: 'none' } }), () => 'UNSKEW_SHADOW_KIND'],
  [
    '--set',
    () => ({
      env: {},
      overrides: { 'shadow.timeZone': 'UTC' },
      overrideOrigins: { 'shadow.timeZone': '--set' },
    }),
    () => '--set',
  ],
  [
    'all of these',
    () => ({
      file,
      env: { UNSKEW_SHADOW_KIND: 'mf', UNSKEW_SHADOW_TIME_ZONE: 'UTC' },
      overrides: { 'shadow.kind': 'mf', 'shadow.out': 'lists' },
    }),
    () => `${file}:4, UNSKEW_SHADOW_KIND, UNSKEW_SHADOW_TIME_ZONE, command line`,
  ],
])('a removed setting in %s is rejected with one line that says what to do', (_, given, places) => {
  expect(() => readConfig(given())).toThrow(
    expect.objectContaining({
      exitCode: 2,
      message: `configuration: ${places()}: ${ADVICE}`,
    }),
  );
});

it('a similar setting name or a Kubernetes service link is not reported as removed', () => {
  const linked = {
    UNSKEW_SHADOW_SERVICE_HOST: '10.0.0.1',
    UNSKEW_SHADOW_PORT: 'tcp://10.0.0.1:80',
  };
  expect(readConfig({ env: linked }).config.time.tickMs).toBe(60_000);
  for (const given of [
    { env: { UNSKEW_SHADOWS: '1' } },
    { env: {}, overrides: { 'shadows.kind': 'mf' } },
  ]) {
    expect(() => readConfig(given)).toThrow(/: unknown /);
  }
});
