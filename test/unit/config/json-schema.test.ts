import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { jsonSchema } from '../../../src/config/json-schema.js';
import { type Config, KEYS, loadConfig } from '../../../src/config.js';
import { run } from '../cli/fake-io.js';

const check = new Ajv2020({ allErrors: true, allowUnionTypes: true }).compile(jsonSchema(KEYS));

const folder = mkdtempSync(join(tmpdir(), 'unskew-schema-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function loadedAs(yaml: string): Config {
  const file = join(folder, 'unskew.yaml');
  writeFileSync(file, yaml);
  return loadConfig({ file, env: {} });
}

/** Paths of what the schema finds wrong. */
function wrong(yaml: string): string[] {
  if (check(parse(yaml))) return [];
  const paths = check.errors!.map(({ instancePath, params }) =>
    [instancePath, params['additionalProperty']].filter((part) => part !== undefined).join('/'),
  );
  return [...new Set(paths)];
}

const SOUND = [
  '{}',
  'kafka: { brokers: ["kafka-1:9092", "[::1]:9092"], topics: { exposures: shown } }',
  'time: { tick: 1m, windows: [1h, 86400000], lateness: .5s, idle: 90000 }',
  'gamma: fit\ngammaFit: poisson\nestimates: { metrics: [ndcg, recall], ks: [1, 10], draws: 3 }',
  'gamma: -0.5\npositive: { minValue: 4 }\nlimits: { rows: none, users: 1000 }',
  'events: { mapping: metarank, maxBytes: 2MiB }',
  'drift: { detectors: [], season: none }\nexport: { size: 0.25, schedule: "0 3 * * *", out: d }',
  'kafka:\n  sasl:\n    username:\nhttp:\n',
];

const BAD: readonly (readonly [yaml: string, path: string])[] = [
  ['time: { tick: soon }', '/time/tick'],
  ['time: { windowz: [1h] }', '/time/windowz'],
  ['time: { windows: 1h }', '/time/windows'],
  ['kafka: nowhere', '/kafka'],
  ['kafka: { brokers: [kafka] }', '/kafka/brokers/0'],
  ['estimates: { strata: 0 }', '/estimates/strata'],
  ['estimates: { metrics: [recal] }', '/estimates/metrics/0'],
  ['estimates: { ks: [5, 5] }', '/estimates/ks'],
  ['gamma: 11', '/gamma'],
  ['limits: { items: all }', '/limits/items'],
  ['http: { token: short }', '/http/token'],
  ['log: { level: loud }', '/log/level'],
  ['export: { split: 1 }', '/export/split'],
  ['nonsense: 1', '/nonsense'],
];

describe('the JSON Schema of the configuration', () => {
  it.each(SOUND)('accepts what the program accepts: %s', (yaml) => {
    expect(wrong(yaml)).toEqual([]);
    expect(() => loadedAs(yaml)).not.toThrow();
  });

  it.each(BAD)('rejects what the program rejects: %s', (yaml, path) => {
    expect(wrong(yaml)).toContain(path);
    expect(() => loadedAs(yaml)).toThrow(path.split('/')[1]!);
  });

  it('accepts the output of config --describe, with secrets and empty values', async () => {
    const token = 'correct-horse-battery-staple';
    const { stdout } = await run(['config', '--describe'], {}, { UNSKEW_HTTP_TOKEN: token });
    expect(wrong(stdout.replace('***', token))).toEqual([]);
  });

  it('contains defaults, descriptions and example durations, and marks secrets', () => {
    const schema = jsonSchema(KEYS) as unknown as Record<string, never>;
    const { time, http } = schema['properties'] as Record<string, { properties: never }>;
    expect(time!.properties['tick']).toMatchObject({
      default: '1m',
      examples: expect.arrayContaining(['90s', '1h']),
      description: expect.stringContaining('Length of a pane.'),
    });
    expect(http!.properties['token']).toMatchObject({ writeOnly: true });
  });

  it('is what unskew config --json-schema prints', async () => {
    const { code, stdout } = await run(['config', '--json-schema']);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toEqual(JSON.parse(JSON.stringify(jsonSchema(KEYS))));
  });
});
