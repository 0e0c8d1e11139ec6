import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { configListing } from '../../../src/commands/cli/program-service.js';
import {
  monitorOptions,
  serviceMonitorOptions,
} from '../../../src/commands/service/monitor-options.js';
import { PRESETS } from '../../../src/config/presets.js';
import { loadConfig, readConfig } from '../../../src/config.js';
import { UnskewError } from '../../../src/errors.js';
import { ADDITIVE_METRICS } from '../../../src/estimators/metrics/registry.js';

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-config-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function yaml(text: string): string {
  const file = join(folder, 'unskew.yaml');
  writeFileSync(file, text);
  return file;
}

function refusal(call: () => unknown): string {
  try {
    call();
  } catch (error) {
    expect(error).toBeInstanceOf(UnskewError);
    expect((error as UnskewError).exitCode).toBe(2);
    return (error as UnskewError).message;
  }
  throw new Error('the configuration was accepted');
}

const HOUR = 3_600_000;

describe('defaults', () => {
  it('let a window be computed less often than panes close', () => {
    for (const written of [{ env: { UNSKEW_TIME_WINDOWS: '1h, 24h every 10m' } }]) {
      expect(loadConfig(written).time.windows).toEqual([
        { name: '1h', ms: HOUR },
        { name: '24h', ms: 24 * HOUR, everyMs: 600_000 },
      ]);
    }
  });

  it('set one-minute panes and windows of 1 and 24 hours, in milliseconds', () => {
    const config = loadConfig({ env: {} });
    expect(config.time.tickMs).toBe(60_000);
    expect(config.time.windows).toEqual([
      { name: '1h', ms: HOUR },
      { name: '24h', ms: 24 * HOUR },
    ]);
    expect(config.events.maxBytes).toBe(1024 * 1024);
    expect(config.kafka.topics.deadLetter).toBe('unskew.dead-letter');
    expect(config.kafka).not.toHaveProperty('sasl');
    expect(config.catalogue).toEqual({});
  });

  it('name the panes topic after the consumer group, unless it is set', () => {
    const topic = (overrides: Record<string, string>) =>
      loadConfig({ env: {}, overrides }).panes.topic;
    expect(topic({})).toBe('unskew.panes');
    expect(topic({ 'kafka.groupId': 'a shop' })).toBe('a_shop.panes');
    expect(topic({ 'panes.topic': 'closed' })).toBe('closed');
  });

  it('limit what a service keeps, but limit files only if a limit is given', () => {
    const options = (overrides: Record<string, unknown>) => {
      const config = loadConfig({ env: {}, overrides });
      return {
        service: serviceMonitorOptions(config).limits,
        files: monitorOptions(config).limits,
      };
    };
    const none = Number.POSITIVE_INFINITY;
    const limits = {
      rows: 20_000_000,
      listEntries: 80_000_000,
      users: 5_000_000,
      requests: 200_000,
    };
    expect(options({})).toEqual({ service: limits, files: undefined });
    expect(options({ 'limits.rows': 1000, 'limits.users': 'none' })).toEqual({
      service: { ...limits, rows: 1000, users: none },
      files: { rows: 1000, listEntries: none, users: none, requests: none },
    });
    expect(refusal(() => options({ 'limits.rows': 'all' }))).toContain(
      'limits.rows: expected a whole number from 1 to 1e12, or \'none\', found "all"',
    );
    const { entries } = readConfig({ env: { UNSKEW_LIMITS_LIST_ENTRIES: 'none' } });
    const listing = configListing(entries);
    expect(listing).toContain('listEntries: "none"  # UNSKEW_LIMITS_LIST_ENTRIES');
    expect(listing).toContain('# not given, a service takes 5000000; UNSKEW_LIMITS_USERS');
  });

  it('limit items to a million, which a variable can change or lift', () => {
    expect(loadConfig({ env: {} }).limits.items).toBe(1_000_000);
    expect(loadConfig({ env: { UNSKEW_LIMITS_ITEMS: 'none' } }).limits.items).toBe(Infinity);
    expect(loadConfig({ env: { UNSKEW_LIMITS_ITEMS: '5' } }).limits.items).toBe(5);
    expect(refusal(() => loadConfig({ env: { UNSKEW_LIMITS_ITEMS: '0' } }))).toContain(
      "expected a whole number from 1 to 1e12, or 'none'",
    );
  });

  it('derive a horizon of ten longest windows and a gamma period of one', () => {
    const config = loadConfig({ env: {}, overrides: { 'time.windows': ['10m', '30m'] } });
    expect(config.popularity.horizonMs).toBe(300 * 60_000);
    expect(config.gammaPeriodMs).toBe(30 * 60_000);
  });
});

describe('change detection', () => {
  it('watches the first metric at its largest cut-off on the shortest window, naive and snips', () => {
    const { config, entries } = readConfig({ env: {} });
    expect(config.drift).toMatchObject({ windowMs: HOUR, metric: 'recall@10' });
    expect(config.drift.estimators).toEqual(['naive', 'snips']);
    const metric = entries.find(({ path }) => path === 'drift.metric')!;
    expect(metric).toMatchObject({ value: 'recall@10', origin: 'derived' });
  });

  it('follows the configured metrics, estimators and windows', () => {
    const overrides = {
      'estimates.metrics': ['mrr'],
      'estimates.estimators': ['gs', 'naive'],
      'time.windows': ['6h'],
    };
    expect(loadConfig({ env: {}, overrides }).drift).toMatchObject({
      windowMs: 6 * HOUR,
      metric: 'mrr',
      estimators: ['naive'],
    });
  });
});

describe('standardisation', () => {
  it('leaves the option of the monitor unset if levels are configured', () => {
    const overrides = { 'drift.standardisation': 'levels' };
    const { drift } = monitorOptions(loadConfig({ env: {}, overrides }));
    expect(drift).not.toHaveProperty('standardisation');
  });

  it('uses ranks by default, with the detectors cusum, psi and vanished', () => {
    const { drift } = monitorOptions(loadConfig({ env: {} }));
    expect(drift).toMatchObject({
      standardisation: 'ranks',
      detectors: ['cusum', 'psi', 'vanished'],
    });
  });

  it('can be set together with the detectors, but not to an unknown method', () => {
    const overrides = { 'drift.standardisation': 'ranks', 'drift.detectors': ['e-sr', 'vanished'] };
    const { drift } = monitorOptions(loadConfig({ env: {}, overrides }));
    expect(drift).toMatchObject({ standardisation: 'ranks', detectors: ['e-sr', 'vanished'] });
    const wrong = { 'drift.standardisation': 'medians' };
    expect(refusal(() => loadConfig({ env: {}, overrides: wrong }))).toContain('levels');
  });
});

describe('the metric watched for changes', () => {
  const load = (overrides: Record<string, unknown>) => readConfig({ env: {}, overrides });

  it('is the first that can be watched, or none, with a warning', () => {
    const some = load({ 'estimates.metrics': ['ndcg', 'mrr', 'recall'] });
    expect(some.config.drift.metric).toBe('mrr');
    expect(some.warnings).toEqual([]);
    const none = load({ 'estimates.metrics': ['ndcg', 'map'] });
    expect(none.config.drift.metric).toBe('none');
    expect(monitorOptions(none.config).drift!.metric).toBeUndefined();
    expect(none.warnings).toEqual([
      `default: drift.metric: none of estimates.metrics (ndcg, map) is a mean over events, so no model is watched for changes of its estimates; add one of ${ADDITIVE_METRICS.join(', ')}`,
    ]);
  });

  it('causes a warning if no estimator can be watched, unless estimates are not watched', () => {
    const gs = load({ 'estimates.estimators': ['gs'] });
    expect(gs.warnings).toEqual([expect.stringContaining('neither naive nor snips is computed')]);
    expect(load({ 'estimates.metrics': ['ndcg'], 'drift.detectors': ['psi'] }).warnings).toEqual(
      [],
    );
    expect(load({ 'estimates.metrics': ['ndcg'], 'drift.metric': 'none' }).warnings).toEqual([]);
  });

  it('may be a rating metric, alone or beside one list metric', () => {
    const only = load({ 'estimates.metrics': ['mse', 'cg'], 'estimates.ks': [5, 10] });
    expect(only.config.drift).toMatchObject({ metric: 'mse' });
    expect(only.config.decision).toMatchObject({ metric: 'mse' });
    expect(only.warnings).toEqual([]);
    expect(monitorOptions(only.config).drift!.ratings).toEqual({ metric: 'mse', k: null });
    const both = load({ 'estimates.metrics': ['recall', 'cg'], 'drift.metric': 'cg@5' });
    expect(both.config.drift).toMatchObject({ metric: 'recall@10,cg@5' });
    expect(monitorOptions(both.config).ratings!.decides).toEqual({ metric: 'cg', k: 10 });
    const alone = load({ 'estimates.metrics': ['recall', 'cg'], 'drift.metric': 'none, recall@5' });
    expect(alone.config.drift.metric).toBe('recall@5');
    expect(monitorOptions(alone.config).drift).not.toHaveProperty('ratings');
    const two = { 'estimates.metrics': ['mse', 'mae'], 'drift.metric': 'mse,mae' };
    expect(refusal(() => load(two))).toContain('at most one list metric and one rating metric');
    expect(load({}).config.drift.metric).toBe('recall@10');
    expect(monitorOptions(load({}).config).drift).not.toHaveProperty('ratings');
    for (const path of ['drift.metric', 'decision.metric']) {
      expect(refusal(() => load({ 'estimates.metrics': ['mse'], [path]: 'mae' }))).toContain(
        'mse, none, found mae',
      );
    }
  });

  it('is rejected if it is configured but cannot be watched', () => {
    const overrides = { 'estimates.metrics': ['ndcg', 'mrr'], 'drift.metric': 'ndcg@10' };
    expect(refusal(() => load(overrides))).toContain(
      'drift.metric: expected one of mrr, none, found ndcg@10',
    );
  });

  it('causes no warning in a command that watches nothing', () => {
    const overrides = { 'estimates.metrics': ['ndcg'] };
    expect(readConfig({ env: {}, overrides, command: 'evaluate' }).warnings).toEqual([]);
    expect(readConfig({ env: {}, overrides, command: 'serve' }).warnings).toHaveLength(1);
  });
});

describe('layers of configuration', () => {
  it('let the environment override the file, and the command line override both', () => {
    const file = yaml(
      'time:\n  tick: 5s\n  windows: [1m]\nhttp:\n  port: 1\nlog: { level: warn }\n',
    );
    const env = { UNSKEW_HTTP_PORT: '2', UNSKEW_TIME_TICK: '10s' };
    const { config, entries } = readConfig({ file, env, overrides: { 'http.port': 3 } });
    expect(config.http.port).toBe(3);
    expect(config.time.tickMs).toBe(10_000);
    expect(config.log.level).toBe('warn');
    const origin = new Map(entries.map((entry) => [entry.path, entry.origin]));
    expect(origin.get('http.port')).toBe('command line');
    expect(origin.get('time.tick')).toBe('UNSKEW_TIME_TICK');
    expect(origin.get('log.level')).toBe(`${file}:6`);
    expect(origin.get('popularity.horizon')).toBe('derived');
    expect(origin.get('gamma')).toBe('default');
  });

  it('read variables as lists, numbers, words or objects, as the setting requires', () => {
    const config = loadConfig({
      env: {
        UNSKEW_KAFKA_BROKERS: 'a:1, b:2',
        UNSKEW_KAFKA_GROUP_ID: '7',
        UNSKEW_GAMMA: 'fit',
        UNSKEW_GAMMA_DEFAULT: '1.5',
        UNSKEW_ESTIMATES_KS: '3,7',
        UNSKEW_TIME_LATENESS: '1500',
        UNSKEW_KAFKA_SSL: 'true',
        UNSKEW_EVENTS_MAPPING: '{"interaction":{"id":"/a","ts":"/b","user":"/c","item":"/d"}}',
      },
    });
    expect(config.kafka.brokers).toEqual(['a:1', 'b:2']);
    expect(config.kafka.groupId).toBe('7');
    expect(config.gamma).toBe('fit');
    expect(config.gammaDefault).toBe(1.5);
    expect(config.estimates.ks).toEqual([3, 7]);
    expect(config.time.latenessMs).toBe(1500);
    expect(config.kafka.ssl).toBe(true);
    expect(config.events.mapping).toEqual({
      interaction: { id: '/a', ts: '/b', user: '/c', item: '/d' },
    });
  });

  it('take the file from UNSKEW_CONFIG if none is given', () => {
    const file = yaml('gamma: 0.5\n');
    expect(loadConfig({ env: { UNSKEW_CONFIG: file } }).gamma).toBe(0.5);
  });

  it('ignore variables with other prefixes and those that Kubernetes adds', () => {
    const env = {
      KAFKA_BROKERS: 'x:1',
      UNSKEW_SERVICE_HOST: '10.0.0.1',
      UNSKEW_SERVICE_PORT_METRICS: '9464',
      UNSKEW_PORT: 'tcp://10.0.0.1:9464',
      UNSKEW_PORT_9464_TCP_ADDR: '10.0.0.1',
    };
    expect(loadConfig({ env }).kafka.brokers).toEqual(['127.0.0.1:9092']);
  });
});

describe('configuration errors', () => {
  it('are all reported at once with place, path, expected and found value', () => {
    const file = yaml(
      'time:\n  tick: soon\n  windowz: [1h]\nkafka: nowhere\nestimates:\n  strata: 0\nnonsense: 1\n',
    );
    const text = refusal(() => loadConfig({ file, env: { UNSKEW_HTTP_PROT: '1' } }));
    expect(text).toContain(`${file}:2: time.tick: expected a duration such as 90s, 1h or 30d`);
    expect(text).toContain('found "soon"');
    expect(text).toContain('time.windowz: unknown setting (did you mean windows?)');
    expect(text).toContain('kafka: expected a group of settings, found "nowhere"');
    expect(text).toContain('estimates.strata: expected a whole number from 1 to 1000, found 0');
    expect(text).toContain('nonsense: unknown setting');
    expect(text).toContain(
      'UNSKEW_HTTP_PROT: unknown environment variable (did you mean UNSKEW_HTTP_PORT?)',
    );
    expect(text).toContain('6 faults');
  });

  it('in YAML syntax are reported with line and column', () => {
    const file = yaml('time:\n  tick: [1s\n');
    expect(refusal(() => loadConfig({ file, env: {} }))).toMatch(/unskew\.yaml:\d+:\d+: /);
  });

  it('stay short for files that are huge, deeply nested or full of aliases', () => {
    const levels = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'];
    const bomb = levels.map((name, level) => {
      const before = levels[level - 1];
      const nine = Array.from({ length: 9 }, () => (before === undefined ? 'x' : `*${before}`));
      return `${name}: &${name} [${nine.join(',')}]`;
    });
    for (const [text, why] of [
      [bomb.join('\n'), 'its aliases expand to too many values'],
      ['a: *nothing', 'Unresolved alias'],
      ['['.repeat(50_000) + ']'.repeat(50_000), 'its values are nested too deeply'],
      [`time: ${'{ a: '.repeat(10_000)}`, 'its values are nested too deeply'],
      ['- '.repeat(100_000), 'its values are nested too deeply'],
      [`[${'? - '.repeat(50_000)}]`, 'its values are nested too deeply'],
      [`# ${'x'.repeat(256 * 1024)}`, 'larger than 256 KiB'],
    ] as const) {
      const file = yaml(text);
      const told = refusal(() => loadConfig({ file, env: {} }));
      expect(told).toContain(`configuration ${file}: `);
      expect(told).toContain(why);
      expect(told).not.toContain('\n');
    }
    const broken = refusal(() => loadConfig({ file: yaml('a: ]\n'.repeat(50)), env: {} }));
    expect(broken.split('\n')).toHaveLength(11);
    expect(broken).toMatch(/and \d+ more$/);
    expect(refusal(() => loadConfig({ file: '/dev/zero', env: {} }))).toContain('256 KiB');
  });

  it('name a missing file', () => {
    expect(refusal(() => loadConfig({ file: '/no/such.yaml', env: {} }))).toBe(
      'configuration /no/such.yaml: no such file',
    );
  });

  it('never show a secret', () => {
    const overrides = { 'kafka.sasl.password': 12345, 'http.token': 'hunter two' };
    const text = refusal(() => loadConfig({ env: {}, overrides }));
    expect(text).toContain('kafka.sasl.password: expected a password');
    expect(text).toContain('http.token: expected a token of 16 to 256');
    expect(text).not.toContain('12345');
    expect(text).not.toContain('hunter');
  });

  it('do not show the URL of Redis, which may hold a password', () => {
    const overrides = { 'state.store': 'redis', 'state.redisUrl': 'http://u:hunter2@h' };
    const text = refusal(() => loadConfig({ env: {}, overrides }));
    expect(text).toContain('state.redisUrl: expected redis://host:port');
    expect(text).not.toContain('hunter2');
  });

  it('report __proto__ and constructor in a file as unknown settings', () => {
    const file = yaml('__proto__: { gamma: 5 }\nconstructor: 1\ntime: { toString: 1 }\n');
    const text = refusal(() => loadConfig({ file, env: {} }));
    expect(text).toContain('__proto__: unknown setting');
    expect(text).toContain('constructor: unknown setting');
    expect(text).toContain('time.toString: unknown setting');
  });

  it('give the reason for each estimator or metric that cannot be computed', () => {
    const overrides = {
      'estimates.estimators': ['naive', 'dr'],
      'estimates.metrics': ['mae', 'recal'],
    };
    const text = refusal(() => loadConfig({ env: {}, overrides }));
    expect(text).toMatch(
      /estimates\.estimators: estimator dr needs a predicted error for every pair/,
    );
    expect(text).not.toContain('metric mae');
    expect(text).toContain("unknown metric 'recal' (did you mean recall?)");
  });

  it.each([
    [
      'a window that is not a multiple of the tick',
      { 'time.windows': ['90s'] },
      /time\.windows\[0\]: expected a multiple of time\.tick \(1m\), found 90s/,
    ],
    [
      'a window with a cadence that is not a multiple of the tick',
      { 'time.windows': ['1h', '24h every 90s'] },
      /time\.windows\[1\]: expected a multiple of time\.tick \(1m\) that divides 24h, found every 90s/,
    ],
    [
      'a window with a cadence that does not divide its length',
      { 'time.windows': ['24h every 7h'] },
      /time\.windows\[0\]: expected a multiple of time\.tick \(1m\) that divides 24h, found every 7h/,
    ],
    [
      'a window without a cadence after "every"',
      { 'time.windows': ['24h every'] },
      /time\.windows: expected a list of durations such as 1h, 24h every 10m/,
    ],
    [
      'two windows of the same length',
      { 'time.windows': ['60m', '1h'] },
      /time\.windows\[1\]: expected different windows/,
    ],
    [
      'a horizon shorter than the longest window',
      { 'popularity.horizon': '2h' },
      /popularity\.horizon: expected at least the longest window \(1d\), found 2h/,
    ],
    [
      'a gamma period as long as the horizon',
      { gammaPeriod: '10d' },
      /gammaPeriod: expected less than popularity\.horizon/,
    ],
    [
      'automatic γ if randomised traffic counts towards popularity',
      { gamma: 'auto', 'popularity.randomized': 'count' },
      /gamma: auto is possible only with popularity\.randomized: ignore, found count/,
    ],
    [
      'a dead-letter file without a path',
      { 'deadLetters.to': 'file' },
      /deadLetters\.to: expected the path of the file/,
    ],
    [
      'one topic for both event types',
      { 'kafka.topics.exposures': 'unskew.interactions' },
      /kafka\.topics\.interactions: expected different topics/,
    ],
    [
      'dead letters in an event topic',
      { 'kafka.topics.deadLetter': 'unskew.exposures' },
      /kafka\.topics\.deadLetter: expected different topics/,
    ],
    ['checkpoints in files without a folder', { 'state.store': 'file' }, /state\.dir: expected/],
    [
      'state in Redis without a Redis URL',
      { 'state.store': 'redis' },
      /state\.redisUrl: expected redis:\/\/host:port, because state\.store is redis/,
    ],
    [
      'a Redis URL if state is not stored in Redis',
      { 'state.redisUrl': 'redis://127.0.0.1:6379' },
      /state\.redisUrl: has no effect with state\.store: none/,
    ],
    [
      'a login without a mechanism',
      { 'kafka.sasl.username': 'u' },
      /kafka\.sasl\.mechanism: required, because/,
    ],
    [
      'a login without a password',
      { 'kafka.sasl.mechanism': 'plain', 'kafka.sasl.username': 'u' },
      /kafka\.sasl\.password: required, because mechanism plain is set/,
    ],
    [
      'a login field that its mechanism does not use',
      {
        'kafka.sasl.mechanism': 'aws-msk-iam',
        'kafka.sasl.region': 'eu-west-1',
        'kafka.sasl.token': 't',
      },
      /kafka\.sasl\.token: has no effect with mechanism aws-msk-iam/,
    ],
    [
      'OAUTHBEARER without a token',
      { 'kafka.sasl.mechanism': 'oauthbearer' },
      /oauthbearer needs one of token, tokenFile, tokenUrl, found none/,
    ],
    [
      'OAUTHBEARER with two tokens',
      {
        'kafka.sasl.mechanism': 'oauthbearer',
        'kafka.sasl.token': 't',
        'kafka.sasl.tokenFile': '/t',
      },
      /found token and tokenFile/,
    ],
    [
      'a token URL without a client secret',
      { 'kafka.sasl.mechanism': 'oauthbearer', 'kafka.sasl.tokenUrl': 'https://a/t' },
      /kafka\.sasl\.clientSecret: required, because kafka\.sasl\.tokenUrl is set/,
    ],
    [
      'a scope without a token URL',
      {
        'kafka.sasl.mechanism': 'oauthbearer',
        'kafka.sasl.token': 't',
        'kafka.sasl.scope': 'a',
      },
      /kafka\.sasl\.scope: has no effect without tokenUrl/,
    ],
    [
      'OAUTHBEARER extensions with a reserved name',
      {
        'kafka.sasl.mechanism': 'oauthbearer',
        'kafka.sasl.token': 't',
        'kafka.sasl.extensions': { auth: 'x' },
      },
      /kafka\.sasl\.extensions: expected names of letters other than auth, found "auth"/,
    ],
    ['TLS files without TLS', { 'kafka.tls.ca': '/ca.pem' }, /kafka\.ssl: expected true/],
    [
      'a certificate without a key',
      { 'kafka.ssl': true, 'kafka.tls.certificate': '/c.pem' },
      /kafka\.tls\.key: required, because kafka\.tls\.certificate is set/,
    ],
    [
      'a broker without a port',
      { 'kafka.brokers': ['kafka'] },
      /kafka\.brokers: expected a list of host:port, found \["kafka"\]/,
    ],
    [
      'a mapping without an event type',
      { 'events.mapping': {} },
      /events\.mapping: mapping: expected exposure, interaction or impression/,
    ],
    [
      'a list with repeats',
      { 'estimates.ks': [5, 5] },
      /estimates\.ks: expected a list of different/,
    ],
    [
      'a fraction of a millisecond',
      { 'time.lateness': '0.5ms' },
      /time\.lateness: expected a whole number of milliseconds/,
    ],
    [
      'a watched window that is not computed',
      { 'drift.window': '2h' },
      /drift\.window: expected one of time\.windows \(1h, 24h\), found 2h/,
    ],
    [
      'a watched metric that is not computed',
      { 'drift.metric': 'recall@7' },
      /drift\.metric: expected one of recall@5, recall@10, .*, found recall@7/,
    ],
    [
      'a watched estimator that is not computed',
      { 'drift.estimators': ['naive', 'wtd'] },
      /drift\.estimators: expected some of estimates\.estimators, found wtd/,
    ],
    [
      'an unknown path on the command line',
      { 'time.tik': 1 },
      /time\.tik: unknown setting \(did you mean time\.tick\?\)/,
    ],
  ])('include %s', (_, overrides, expected) => {
    expect(refusal(() => loadConfig({ env: {}, overrides }))).toMatch(expected);
  });
});

it('accepts a horizon below ten times the longest window, with a warning', () => {
  const overrides = { 'popularity.horizon': '48h' };
  const { config, warnings } = readConfig({ env: {}, overrides });
  expect(config.popularity.horizonMs).toBe(48 * HOUR);
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('popularity.horizon');
  expect(readConfig({ env: {} }).warnings).toEqual([]);
});

describe('the HTTP address', () => {
  const token = 'correct-horse-battery-staple';
  const others = ['0.0.0.0', '10.1.2.3', '::', 'unskew.internal', '127.evil.example'];
  const load = (overrides: Record<string, unknown>, command?: 'serve' | 'export') =>
    readConfig({ env: {}, overrides, ...(command && { command }) });

  it('needs a token or http.auth: none if other machines can reach it', () => {
    for (const host of others) {
      expect(refusal(() => load({ 'http.host': host }, 'serve'))).toBe(
        `configuration: command line: http.host: other machines can reach ${host}: ` +
          'set http.token, or set http.auth to none if every client that reaches it may read',
      );
      const withToken = load({ 'http.host': host, 'http.token': token });
      expect(withToken.config.http).toMatchObject({ auth: 'token', token });
      const forAll = load({ 'http.host': host, 'http.auth': 'none' });
      expect(forAll.config.http.auth).toBe('none');
      expect([...withToken.warnings, ...forAll.warnings]).toEqual([]);
    }
  });

  it('needs neither if it is a loopback address', () => {
    for (const host of ['127.0.0.1', '127.1.2.3', '::1', 'localhost']) {
      expect(load({ 'http.host': host }).config.http.auth).toBe('none');
      expect(load({ 'http.host': host, 'http.token': token }).config.http.auth).toBe('token');
    }
  });

  it('is not checked if the command does not listen', () => {
    expect(load({ 'http.host': '0.0.0.0' }, 'export').config.http.host).toBe('0.0.0.0');
  });

  it('is rejected if http.auth and http.token contradict each other', () => {
    expect(refusal(() => load({ 'http.auth': 'token' }))).toContain(
      'http.token: required, because http.auth is token',
    );
    expect(refusal(() => load({ 'http.auth': 'none', 'http.token': token }))).toContain(
      'http.token: has no effect with http.auth: none',
    );
  });

  it('has host names in http.hosts, without ports or URLs', () => {
    const { config } = load({ 'http.hosts': 'monitor, *.monitoring.svc' });
    expect(config.http.hosts).toEqual(['monitor', '*.monitoring.svc']);
    for (const wrong of ['monitor:9464', 'http://monitor', 'a*.b', '']) {
      expect(refusal(() => load({ 'http.hosts': [wrong] }))).toContain(
        'http.hosts: expected a list of host names without ports',
      );
    }
  });
});

it('value.targets takes distinct model names and is unset by default', () => {
  const load = (overrides: Record<string, unknown>) => readConfig({ env: {}, overrides });
  expect(load({}).config.value.targets).toBeUndefined();
  expect(load({ 'value.targets': 'next, bm25' }).config.value.targets).toEqual(['next', 'bm25']);
  for (const wrong of [[], ['next', 'next'], ['']]) {
    expect(refusal(() => load({ 'value.targets': wrong }))).toContain(
      'value.targets: expected a list of different names of models',
    );
  }
});

it('reads a complete login', () => {
  const env = {
    UNSKEW_KAFKA_SASL_MECHANISM: 'scram-sha-512',
    UNSKEW_KAFKA_SASL_USERNAME: 'u',
    UNSKEW_KAFKA_SASL_PASSWORD: 'p',
  };
  const sasl = { mechanism: 'scram-sha-512', username: 'u', password: 'p' };
  expect(loadConfig({ env }).kafka.sasl).toEqual(sasl);
});

it('gammaDefault is 0.5 with gamma: auto and 2 otherwise, unless it is given', () => {
  const reserve = (overrides: Record<string, unknown>) =>
    readConfig({ env: {}, overrides }).config.gammaDefault;
  const auto = { gamma: 'auto', 'popularity.randomized': 'ignore' };
  expect(reserve({})).toBe(0.5);
  expect(reserve({ gamma: 2 })).toBe(2);
  expect(reserve({ preset: 'papers' })).toBe(2);
  expect(reserve({ gamma: 'fit' })).toBe(2);
  expect(reserve(auto)).toBe(0.5);
  expect(reserve({ ...auto, gammaDefault: 1.25 })).toBe(1.25);
});

it('randomised traffic counts towards popularity only if configured, and never with gamma: auto', () => {
  const randomized = (overrides: Record<string, unknown>) =>
    readConfig({ env: {}, overrides }).config.popularity.randomized;
  expect(randomized({})).toBe('ignore');
  expect(randomized({ gamma: 'fit' })).toBe('ignore');
  expect(randomized({ gamma: 'fit', 'popularity.randomized': 'count' })).toBe('count');
  expect(refusal(() => randomized({ 'popularity.randomized': 'count' }))).toContain(
    'auto is possible only with popularity.randomized: ignore, found count',
  );
});

describe('a preset', () => {
  const entriesOf = (overrides: Record<string, unknown>, env: Record<string, string> = {}) =>
    new Map(readConfig({ env, overrides }).entries.map((entry) => [entry.path, entry]));

  it('of the papers restores every changed default and is reported as its origin', () => {
    const entries = entriesOf({ preset: 'papers' });
    for (const [path, value] of Object.entries(PRESETS.papers)) {
      expect(entries.get(path), path).toMatchObject({ value, origin: 'preset papers' });
    }
    const usual = entriesOf({});
    for (const [path, { value }] of entries) {
      const follows = ['preset', 'gammaDefault', 'popularity.caused'];
      const isChanged = path in PRESETS.papers || follows.includes(path);
      if (isChanged) expect(value, path).not.toEqual(usual.get(path)!.value);
      else expect(value, path).toEqual(usual.get(path)!.value);
    }
  });

  it('is overridden by single settings in a file, a variable or a flag', () => {
    const { config } = readConfig({
      env: { UNSKEW_PRESET: 'papers', UNSKEW_GAMMA: 'fit' },
      overrides: { 'estimates.interval': 'bootstrap' },
      file: yaml('drift: { detectors: [js] }\n'),
    });
    expect(config).toMatchObject({ gamma: 'fit', drift: { detectors: ['js'] } });
    expect(config.estimates).toMatchObject({ interval: 'bootstrap', userForm: 'plain' });
  });

  it('is taken from the strongest layer, and rejected with its place if unknown', () => {
    const env = { UNSKEW_PRESET: 'papers' };
    expect(readConfig({ env, overrides: { preset: 'default' } }).config.gamma).toBe('auto');
    expect(refusal(() => readConfig({ env: { UNSKEW_PRESET: 'paper' } }))).toContain(
      'UNSKEW_PRESET: preset: expected',
    );
  });
});

describe('comparisons.control', () => {
  const read = (overrides: Record<string, string>) => readConfig({ env: {}, overrides });
  const ofNumbers = (overrides: Record<string, string>) => {
    const { estimates, value } = monitorOptions(read(overrides).config);
    return [estimates.reference, value?.control];
  };

  it('is the model that estimates and values are compared with, by its old name too', () => {
    expect(ofNumbers({ 'comparisons.control': 'a' })).toEqual(['a', 'a']);
    expect(ofNumbers({ 'estimates.reference': 'a' })).toEqual(['a', 'a']);
    expect(ofNumbers({})).toEqual([undefined, undefined]);
  });

  it('is recommended in a warning if only its old name is given', () => {
    expect(read({ 'estimates.reference': 'a' }).warnings).toEqual([
      'command line: estimates.reference: this is the old name of comparisons.control; use the new name',
    ]);
    expect(read({ 'comparisons.control': 'a' }).warnings).toEqual([]);
  });

  it('is rejected beside its old name', () => {
    const both = { 'estimates.reference': 'a', 'comparisons.control': 'b' };
    expect(refusal(() => read(both))).toBe(
      'configuration: command line: estimates.reference: this is the old name of comparisons.control, which is also set (command line); remove the old name',
    );
  });
});
