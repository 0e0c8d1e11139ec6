import { type StaticDecode, Type } from 'typebox';
import { DETECTORS } from '../drift/detectors/detector.js';
import { BASELINES } from '../estimators/diagnostics/popularity-baseline.js';
import {
  ADDITIVE_METRICS,
  DEFAULT_ESTIMATORS,
  ESTIMATORS,
  METRICS,
  STRATEGIES,
} from '../estimators/names.js';
import { STRATA_SCHEMES } from '../estimators/options.js';
import { GUARANTEES } from '../estimators/uncertainty/guarantees.js';
import { INTERVAL_METHODS } from '../estimators/uncertainty/interval-method.js';
import { FORMATS, PARTS } from '../export/draw/set-plan.js';
import { GAMMA_FITS } from '../propensity/gamma.js';
import { chosenEstimators, chosenMetrics } from './choices.js';
import { SERVICE_LIMITS } from './service-limits.js';
import {
  DURATION_PATTERN,
  DURATION_WORDS,
  formatDuration,
  parseDuration,
  parseSize,
  SIZE_PATTERN,
  SIZE_WORDS,
} from './units.js';

/**
 * The one description of the configuration. Each leaf says what it expects in words (`expected`),
 * its default, and whether it is a secret; types, checks, names of environment variables and the
 * printed configuration are all derived from it.
 */

const DurationText = (fallback?: string) =>
  Type.Union([Type.String({ pattern: DURATION_PATTERN }), Type.Integer({ minimum: 0 })], {
    expected: DURATION_WORDS,
    unit: 'ms',
    ...(fallback === undefined ? {} : { default: fallback }),
  });

/** Decodes to milliseconds. */
const Duration = (fallback?: string) =>
  Type.Codec(DurationText(fallback))
    .Decode((value) => parseDuration(value))
    .Encode((ms) => ms);

/** Decodes to a duration with the name it is known by in labels. */
const WindowLength = Type.Codec(DurationText())
  .Decode((value) => ({
    name: typeof value === 'number' ? formatDuration(value) : value,
    ms: parseDuration(value),
  }))
  .Encode((window) => window.ms);

/** Decodes to bytes. */
const Size = (fallback: string) =>
  Type.Codec(
    Type.Union([Type.String({ pattern: SIZE_PATTERN }), Type.Integer({ minimum: 1 })], {
      expected: SIZE_WORDS,
      unit: 'bytes',
      default: fallback,
    }),
  )
    .Decode((value) => parseSize(value))
    .Encode((bytes) => bytes);

const Text = (fallback: string) =>
  Type.String({ minLength: 1, expected: 'some text', default: fallback });

const TopicName = (fallback: string) =>
  Type.String({
    pattern: '^[a-zA-Z0-9._-]{1,249}$',
    expected: 'a topic name of letters, digits, dots, dashes and underscores',
    default: fallback,
  });

const Whole = (fallback: number, minimum: number, maximum: number) =>
  Type.Integer({
    minimum,
    maximum,
    expected: `a whole number from ${minimum} to ${maximum}`,
    default: fallback,
  });

/** Decodes to a number; `none` to Infinity. */
const Limit = (fallback: number) =>
  Type.Codec(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1e12 }), Type.Literal('none')], {
      expected: "a whole number from 1 to 1e12, or 'none'",
      default: fallback,
    }),
  )
    .Decode((limit) => (limit === 'none' ? Number.POSITIVE_INFINITY : limit))
    .Encode((limit) => (limit === Number.POSITIVE_INFINITY ? ('none' as const) : limit));

const OneOf = <const Names extends readonly string[]>(names: Names, fallback?: Names[number]) =>
  Type.Unsafe<Names[number]>(
    Type.Enum([...names], {
      expected: `one of ${names.join(', ')}`,
      ...(fallback === undefined ? {} : { default: fallback }),
    }),
  );

const Names = <Name extends string>(
  known: readonly Name[],
  kind: string,
  check: (names: readonly string[]) => Name[],
  fallback: readonly Name[] = known,
) =>
  Type.Codec(
    Type.Array(Type.String(), {
      expected: `a list of ${kind}: ${known.join(', ')}`,
      default: fallback,
    }),
  )
    .Decode((names) => check(names))
    .Encode((names) => names);

const Sasl = Type.Object({
  mechanism: Type.Optional(OneOf(['plain', 'scram-sha-256', 'scram-sha-512'])),
  username: Type.Optional(Type.String({ minLength: 1, expected: 'a user name' })),
  password: Type.Optional(Type.String({ minLength: 1, expected: 'a password', secret: true })),
});

const Kafka = Type.Object({
  brokers: Type.Array(
    Type.String({ pattern: '^[^\\s,:]+:[0-9]{1,5}$|^\\[[0-9a-fA-F:.]+\\]:[0-9]{1,5}$' }),
    {
      minItems: 1,
      expected: 'a list of host:port',
      default: ['127.0.0.1:9092'],
    },
  ),
  clientId: Text('unskew'),
  groupId: Text('unskew'),
  topics: Type.Object({
    exposures: TopicName('unskew.exposures'),
    interactions: TopicName('unskew.interactions'),
    deadLetter: TopicName('unskew.dead-letter'),
  }),
  start: OneOf(['earliest', 'latest'], 'earliest'),
  ssl: Type.Boolean({ expected: 'true or false', default: false }),
  sasl: Sasl,
  connectTimeout: Duration('10s'),
  sessionTimeout: Duration('30s'),
  maxBytesPerPartition: Size('1MiB'),
});

const Estimates = Type.Object({
  metrics: Names(METRICS, 'metrics', chosenMetrics, ADDITIVE_METRICS),
  ks: Type.Array(Type.Integer({ minimum: 1, maximum: 10_000 }), {
    minItems: 1,
    uniqueItems: true,
    expected: 'a list of different whole numbers from 1 to 10000',
    default: [5, 10],
  }),
  estimators: Names(ESTIMATORS, 'estimators', chosenEstimators, DEFAULT_ESTIMATORS),
  interval: OneOf(INTERVAL_METHODS, 't-logit'),
  guarantees: Type.Array(OneOf(GUARANTEES), {
    uniqueItems: true,
    expected: `a list of different ones of ${GUARANTEES.join(', ')}`,
    default: [],
  }),
  reference: Type.Optional(Type.String({ minLength: 1, expected: 'the name of a model' })),
  strata: Whole(5, 1, 1000),
  strataScheme: OneOf(STRATA_SCHEMES, 'popularity-width'),
  cold: OneOf(['smooth', 'drop'], 'smooth'),
  smoothing: Type.Number({
    minimum: 0,
    maximum: 1_000,
    expected: 'a number from 0 to 1000',
    default: 0.5,
  }),
  draws: Whole(0, 0, 10_000),
  seed: Whole(1, 0, 2 ** 52),
  sampleShare: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1,
    expected: 'a number above 0, at most 1',
    default: 0.5,
  }),
  posteriorExponent: Type.Number({
    minimum: 0,
    maximum: 10,
    expected: 'a number from 0 to 10',
    default: 2,
  }),
});

const Drift = Type.Object({
  detectors: Type.Array(OneOf(DETECTORS), {
    uniqueItems: true,
    expected: `a list of different ones of ${DETECTORS.join(', ')}`,
    default: ['cusum', 'psi'],
  }),
  window: Type.Optional(Duration()),
  metric: Type.Optional(Type.String({ minLength: 1, expected: 'a metric such as recall@10' })),
  estimators: Type.Optional(
    Type.Array(OneOf(ESTIMATORS), {
      uniqueItems: true,
      expected: `a list of different ones of ${ESTIMATORS.join(', ')}`,
    }),
  ),
  allowance: Type.Number({
    exclusiveMinimum: 0,
    maximum: 5,
    expected: 'a number above 0, at most 5',
    default: 0.5,
  }),
  threshold: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1000,
    expected: 'a number above 0, at most 1000',
    default: 5,
  }),
  guarantee: Whole(500, 10, 1_000_000_000),
  learn: Whole(24, 3, 100_000),
  hold: Whole(24, 1, 100_000),
  season: OneOf(['week', 'day', 'none'], 'week'),
});

const Count = (expected: string, fallback?: number) =>
  Type.Integer({
    minimum: 0,
    maximum: Number.MAX_SAFE_INTEGER,
    expected,
    ...(fallback === undefined ? {} : { default: fallback }),
  });

const TrueOrFalse = (fallback: boolean) =>
  Type.Boolean({ expected: 'true or false', default: fallback });

const Export = Type.Object({
  schedule: Type.Optional(
    Type.String({ minLength: 1, expected: "a cron expression such as '0 3 * * *'" }),
  ),
  timeZone: Text('UTC'),
  out: Type.Optional(
    Type.String({ minLength: 1, expected: 'a folder, or s3://bucket and a prefix' }),
  ),
  range: Duration('24h'),
  settle: Duration('1h'),
  strategy: OneOf(STRATEGIES, STRATEGIES[0]),
  size: Type.Number({
    exclusiveMinimum: 0,
    maximum: 1e9,
    expected: 'a share of at most 1, or a number of rows',
    default: 0.5,
  }),
  seed: Count('a whole number from 0', 1),
  split: Type.Number({
    exclusiveMinimum: 0,
    exclusiveMaximum: 1,
    expected: 'a number between 0 and 1',
    default: 0.6,
  }),
  exponent: Type.Number({
    minimum: 0,
    maximum: 10,
    expected: 'a number from 0 to 10',
    default: 2,
  }),
  smoothing: Type.Number({
    minimum: 0,
    maximum: 1_000,
    expected: 'a number from 0 to 1000',
    default: 0.5,
  }),
  part: OneOf(PARTS, 'test'),
  withTrain: TrueOrFalse(false),
  format: OneOf(FORMATS, 'parquet'),
  memory: Size('256MiB'),
  allowMissing: TrueOrFalse(false),
  retain: Count('a whole number of sets; 0 keeps all', 30),
  retries: Whole(3, 0, 100),
  retryDelay: Duration('5m'),
  catchUp: Whole(7, 0, 1000),
  leaseTtl: Duration('60s'),
  redis: Type.Optional(
    Type.String({ pattern: '^rediss?://', expected: 'a redis:// address', secret: true }),
  ),
  s3: Type.Object({
    endpoint: Type.Optional(Type.String({ pattern: '^https?://', expected: 'an http address' })),
    region: Text('us-east-1'),
    pathStyle: TrueOrFalse(false),
  }),
});

/** Decodes to a number; `none` to Infinity. What the service takes without it is told with it. */
const SampleLimit = (serviceDefault: number) =>
  Type.Codec(
    Type.Union([Type.Integer({ minimum: 1, maximum: 1e12 }), Type.Literal('none')], {
      expected: "a whole number from 1 to 1e12, or 'none'",
      serviceDefault,
    }),
  )
    .Decode((limit) => (limit === 'none' ? Number.POSITIVE_INFINITY : limit))
    .Encode((limit) => (limit === Number.POSITIVE_INFINITY ? ('none' as const) : limit));

const GAMMA_RANGE = { minimum: -1, maximum: 10 };

export const ConfigSchema = Type.Object({
  kafka: Kafka,
  time: Type.Object({
    tick: Duration('1m'),
    windows: Type.Array(WindowLength, {
      minItems: 1,
      expected: 'a list of durations such as 1h, 24h',
      default: ['1h', '24h'],
    }),
    lateness: Duration('30s'),
    maxFuture: Duration('5m'),
    idle: Duration('60s'),
  }),
  dedupe: Type.Object({ ttl: Duration('1h') }),
  attribution: Type.Object({ ttl: Duration('24h') }),
  popularity: Type.Object({
    horizon: Type.Optional(Duration()),
    of: OneOf(['positive', 'all'], 'positive'),
  }),
  positive: Type.Object({ minValue: Type.Number({ expected: 'a number', default: 1 }) }),
  gamma: Type.Union([Type.Number(GAMMA_RANGE), Type.Literal('fit')], {
    expected: "a number from -1 to 10, or 'fit'",
    default: 2,
  }),
  gammaFit: OneOf(GAMMA_FITS, 'ols'),
  gammaDefault: Type.Number({ ...GAMMA_RANGE, expected: 'a number from -1 to 10', default: 2 }),
  gammaPeriod: Type.Optional(Duration()),
  estimates: Estimates,
  baseline: OneOf(BASELINES, 'popularity'),
  drift: Drift,
  catalogue: Type.Object({
    size: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1e9,
        expected: 'a whole number of items, at least 1',
      }),
    ),
  }),
  state: Type.Object({
    store: OneOf(['none', 'file', 'redis'], 'none'),
    dir: Type.Optional(Type.String({ minLength: 1, expected: 'the path of a folder' })),
    redisUrl: Type.Optional(
      Type.String({
        pattern: '^rediss?://[^\\s]+$',
        expected: 'redis://host:port, or rediss://host:port for TLS',
        secret: true,
      }),
    ),
    every: Duration('30s'),
  }),
  workers: Type.Object({ exchange: Type.Optional(OneOf(['none', 'redis'])) }),
  models: Type.Object({ max: Whole(16, 1, 1000) }),
  limits: Type.Object({
    items: Limit(1_000_000),
    rows: Type.Optional(SampleLimit(SERVICE_LIMITS.rows)),
    listEntries: Type.Optional(SampleLimit(SERVICE_LIMITS.listEntries)),
    users: Type.Optional(SampleLimit(SERVICE_LIMITS.users)),
  }),
  events: Type.Object({
    maxBytes: Size('1MiB'),
    mapping: Type.Optional(
      Type.Union([Type.Literal('metarank'), Type.Record(Type.String(), Type.Unknown())], {
        expected: "'metarank', or an object that maps fields",
      }),
    ),
  }),
  deadLetters: Type.Object({
    to: OneOf(['topic', 'file', 'none'], 'topic'),
    file: Type.Optional(Type.String({ minLength: 1, expected: 'the path of a file' })),
  }),
  http: Type.Object({
    host: Text('127.0.0.1'),
    port: Type.Integer({
      minimum: 0,
      maximum: 65_535,
      expected: 'a port from 0 to 65535',
      default: 9464,
    }),
    token: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9._~+/=-]{16,256}$',
        expected: 'a token of 16 to 256 letters, digits and ._~+/=-',
        secret: true,
      }),
    ),
    rateLimit: Whole(1200, 0, 1_000_000),
  }),
  history: Type.Object({
    keep: Duration('24h'),
    dir: Type.Optional(Type.String({ minLength: 1, expected: 'the path of a folder' })),
  }),
  export: Export,
  estimatesFile: Type.Optional(Type.String({ minLength: 1, expected: 'the path of a file' })),
  log: Type.Object({
    level: OneOf(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'], 'info'),
  }),
});

/** As decoded, before what follows from other values is filled in. Durations are ms, sizes bytes. */
export type DecodedConfig = StaticDecode<typeof ConfigSchema>;
