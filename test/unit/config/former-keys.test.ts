import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { REMOVED, RENAMED } from '../../../src/config/former-keys.js';
import { variableName } from '../../../src/config/key-index.js';
import { type ConfigSources, KEY_INDEX, readConfig } from '../../../src/config.js';
import type { UnskewError } from '../../../src/errors.js';
import { run } from '../cli/fake-io.js';

const folder = mkdtempSync(join(tmpdir(), 'unskew-former-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The same value by a file, a variable, and `--set`. */
function ways(path: string, value: string | number): (readonly [string, ConfigSources])[] {
  const file = join(folder, `${path}.yaml`);
  const tree = path.split('.').reduceRight<unknown>((below, name) => ({ [name]: below }), value);
  writeFileSync(file, stringify(tree));
  return [
    ['file', { file, env: {} }],
    ['variable', { env: { [variableName(path)]: String(value) } }],
    ['--set', { env: {}, overrides: { [path]: String(value) } }],
  ];
}

function refusal(sources: ConfigSources): string {
  try {
    readConfig(sources);
  } catch (error) {
    expect((error as UnskewError).code).toBe('USAGE');
    return (error as UnskewError).message;
  }
  throw new Error('the configuration was taken');
}

/** Something that each renamed key took, and what the new one is then. */
const VALUES: Readonly<Record<string, string | number>> = {
  'estimates.reference': 'a',
  'estimates.posteriorExponent': 3,
  'export.smoothing': 0.25,
  'ratings.propensity': 'logged',
  'deadLetters.file': 'refused.ndjson',
};

describe('a renamed key', () => {
  it.each(Object.entries(RENAMED))('sets the new key, with a warning: %s', (old, { to }) => {
    for (const [way, sources] of ways(old, VALUES[old]!)) {
      const { entries, warnings } = readConfig(sources);
      expect(entries.find(({ path }) => path === to)!.value, way).toBe(VALUES[old]);
      expect(warnings, way).toEqual([
        expect.stringContaining(`${old}: this is the old name of ${to}`),
      ]);
    }
  });

  it.each(Object.entries(RENAMED))('is rejected beside the new key: %s', (old, { to }) => {
    for (const [way, sources] of ways(old, VALUES[old]!)) {
      const both = { ...sources, overrides: { ...sources.overrides, [to]: String(VALUES[old]) } };
      const told = refusal(both);
      expect(told, way).toContain(`${old}: this is the old name of ${to}, which is also set`);
      expect(told, way).not.toContain('\n');
    }
  });

  it('is not itself a key, unlike the new one', () => {
    for (const [old, { to }] of Object.entries(RENAMED)) {
      expect(KEY_INDEX.leaves.has(old), old).toBe(false);
      expect(KEY_INDEX.leaves.has(to), to).toBe(true);
    }
  });

  it('still works together with the setting that it used to complete', () => {
    const overrides = { 'deadLetters.to': 'file', 'deadLetters.file': 'refused.ndjson' };
    const env = { UNSKEW_DEAD_LETTERS_TO: 'file' };
    expect(readConfig({ env, overrides }).config.deadLetters.to).toBe('refused.ndjson');
    const file = { 'ratings.propensity': 'file', 'estimates.metrics': 'mse' };
    const named = { ...file, 'ratings.propensities': 'nb.json' };
    expect(readConfig({ env: {}, overrides: named }).config.ratings.propensities).toBe('nb.json');
    expect(refusal({ env: {}, overrides: file })).toContain(
      'set ratings.propensities, which the value',
    );
  });

  it('keeps its command-line flag', async () => {
    const { code, stderr } = await run(['evaluate', '--events', 'x', '--reference', 'a']);
    expect(code).not.toBe(2);
    expect(stderr).toContain('--reference: estimates.reference: this is the old name of');
  });
});

describe('a removed key', () => {
  it.each(Object.entries(REMOVED))('is rejected with what to do instead: %s', (old, advice) => {
    for (const [way, sources] of ways(old, 1)) {
      const told = refusal(sources);
      expect(told, way).toContain(`${old} was removed: ${advice}`);
      expect(told, way).not.toContain('\n');
    }
  });

  it('makes a command exit with code 2', async () => {
    const [old] = Object.keys(REMOVED);
    const { code, stderr } = await run(['config', '--set', `${old}=1`]);
    expect(code).toBe(2);
    expect(stderr).toContain(REMOVED[old!]);
  });

  it('is ignored if the file leaves it empty', () => {
    const file = join(folder, 'empty.yaml');
    writeFileSync(file, 'drift:\n  hold:\nexport:\n  redis:\n');
    expect(readConfig({ file, env: {} }).warnings).toEqual([]);
  });
});

describe('a key of several fields', () => {
  const login = { mechanism: 'plain', username: 'u', password: 'hunter2' };

  it('can be given whole, field by field or both; the stronger layer wins', () => {
    const file = join(folder, 'login.yaml');
    writeFileSync(file, stringify({ kafka: { sasl: { ...login, password: 'weak' } } }));
    const env = { UNSKEW_KAFKA_SASL_PASSWORD: 'hunter2' };
    expect(readConfig({ file, env }).config.kafka.sasl).toEqual(login);
    const whole = { UNSKEW_KAFKA_SASL: JSON.stringify(login) };
    expect(readConfig({ env: whole }).config.kafka.sasl).toEqual(login);
    const overrides = { 'kafka.sasl': JSON.stringify(login), 'kafka.sasl.username': 'other' };
    expect(readConfig({ env: {}, overrides }).config.kafka.sasl).toMatchObject({
      username: 'other',
      password: 'hunter2',
    });
  });

  it('is rejected with the name of the wrong field and without secrets', () => {
    const told = (sasl: unknown) =>
      refusal({
        env: { UNSKEW_KAFKA_SASL: typeof sasl === 'string' ? sasl : JSON.stringify(sasl) },
      });
    expect(told({ ...login, mechanism: 'scram' })).toContain(
      'kafka.sasl.mechanism: expected one of',
    );
    expect(told({ ...login, user: 'u' })).toContain('kafka.sasl.user: unknown setting');
    expect(told({ ...login, password: 7 })).toContain('kafka.sasl.password: expected a password');
    expect(told('plain hunter2')).toBe(
      'configuration: UNSKEW_KAFKA_SASL: kafka.sasl: expected an object of mechanism, username, password, token, tokenFile, tokenUrl, clientId, clientSecret, scope, audience, extensions, region',
    );
  });
});
