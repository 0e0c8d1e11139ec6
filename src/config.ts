import { Value } from 'typebox/value';
import { checkDrift, completeDrift, type DriftConfig } from './config/drift.js';
import { environmentLayer, fileLayer, type Layer, overrideLayer, shown } from './config/layers.js';
import { LEAVES, type Leaf } from './config/leaves.js';
import { checkRules, longestWindowMs } from './config/rules.js';
import type { DecodedConfig } from './config/schema.js';
import { formatDuration } from './config/units.js';
import { UnskewError } from './errors.js';
import type { Mapping } from './events/mapping/mapping.js';

/** The effective configuration: every duration in ms, every size in bytes. */
export type Config = Omit<
  DecodedConfig,
  'gammaPeriod' | 'popularity' | 'kafka' | 'events' | 'drift'
> & {
  readonly drift: DriftConfig;
  readonly gammaPeriod: number;
  readonly popularity: { readonly horizon: number; readonly of: 'positive' | 'all' };
  readonly events: { readonly maxBytes: number; readonly mapping?: 'metarank' | Mapping };
  readonly kafka: Omit<DecodedConfig['kafka'], 'sasl'> & {
    readonly sasl?: Required<DecodedConfig['kafka']['sasl']>;
  };
};

export interface ConfigSources {
  /** A YAML file; without one `UNSKEW_CONFIG` may name it. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values by path (`time.tick`), stronger than the environment; texts are read as variables are. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** What gave an override, by path, e.g. `--tick`; `command line` where it is not said. */
  readonly overrideOrigins?: Readonly<Record<string, string>>;
}

/** One value with where it comes from, as `unskew config` prints it. */
export interface ConfigEntry {
  readonly path: string;
  readonly variable: string;
  /** As given, before units are resolved; undefined where neither given nor defaulted. */
  readonly value: unknown;
  /** `default`, `derived`, `file:line`, the environment variable's name, or `command line`. */
  readonly origin: string;
  readonly secret: boolean;
  /** What the service alone takes where no value is given. */
  readonly serviceDefault: unknown;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly entries: readonly ConfigEntry[];
  /** What is allowed but not advised, one line each. */
  readonly warnings: readonly string[];
}

/**
 * Reads the configuration: defaults, then the file, then the environment, then overrides.
 * Throws an UnskewError (USAGE) that names every fault, one a line, with its place, its path, what
 * was expected and what was found.
 */
export function readConfig(sources: ConfigSources): LoadedConfig {
  const file = sources.file ?? (sources.env['UNSKEW_CONFIG'] || undefined);
  const layers = [
    ...(file === undefined ? [] : [fileLayer(file)]),
    environmentLayer(sources.env),
    overrideLayer(sources.overrides ?? {}, sources.overrideOrigins ?? {}),
  ];
  const faults = layers.flatMap((layer) => layer.faults);
  const root: Record<string, unknown> = {};
  const entries = [...LEAVES.values()].map((leaf) => decode(leaf, layers, root, faults));
  if (faults.length > 0) throw refusal(faults);
  return finish(root, entries);
}

/** The effective configuration alone; see `readConfig`. */
export function loadConfig(sources: ConfigSources): Config {
  return readConfig(sources).config;
}

/** Takes the strongest layer's value of a leaf, checks it and puts the decoded value in its place. */
function decode(
  leaf: Leaf,
  layers: readonly Layer[],
  root: Record<string, unknown>,
  faults: string[],
): ConfigEntry {
  const given = layers.map((layer) => layer.values.get(leaf.path)).findLast((entry) => entry);
  const { value, origin } = given ?? { value: leaf.defaultValue, origin: 'default' };
  if (value !== undefined) {
    const found = leaf.secret ? '(hidden)' : shown(value);
    try {
      if (Value.Check(leaf.schema, value)) {
        set(root, leaf.path, Value.Decode(leaf.schema, value));
      } else {
        faults.push(`${origin}: ${leaf.path}: expected ${leaf.expected}, found ${found}`);
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push(`${origin}: ${leaf.path}: ${error.message}`);
    }
  } else set(root, leaf.path, undefined);
  const { path, variable, secret, serviceDefault } = leaf;
  return { path, variable, value, origin, secret, serviceDefault };
}

/** Makes the groups on the way; an absent value leaves its group, but no key. */
function set(root: Record<string, unknown>, path: string, value: unknown): void {
  const keys = path.split('.');
  const last = keys.pop()!;
  let group = root;
  for (const key of keys) {
    group[key] ??= {};
    group = group[key] as Record<string, unknown>;
  }
  if (value !== undefined) group[last] = value;
}

/** Fills in what follows from other values and checks the rules between values. */
function finish(root: Record<string, unknown>, entries: readonly ConfigEntry[]): LoadedConfig {
  const decoded = root as DecodedConfig;
  const longest = longestWindowMs(decoded.time.windows);
  const { sasl, ...kafka } = decoded.kafka;
  const complete = {
    ...decoded,
    popularity: { ...decoded.popularity, horizon: decoded.popularity.horizon ?? 10 * longest },
    gammaPeriod: decoded.gammaPeriod ?? longest,
    drift: completeDrift(decoded),
    workers: { exchange: decoded.workers.exchange ?? exchangeFor(decoded.state.store) },
  };
  const originOf = new Map(entries.map((entry) => [entry.path, entry.origin]));
  const faults: string[] = [];
  const warnings: string[] = [];
  const line = (path: string, message: string): string =>
    `${originOf.get(path.replace(/\[\d+\]$/, '')) ?? 'default'}: ${path}: ${message}`;
  const fault = (path: string, message: string) => faults.push(line(path, message));
  checkRules(complete, fault, (path, message) => warnings.push(line(path, message)));
  checkDrift(decoded, complete.drift, fault);
  if (faults.length > 0) throw refusal(faults);
  const derived: Readonly<Record<string, unknown>> = {
    'popularity.horizon': formatDuration(complete.popularity.horizon),
    gammaPeriod: formatDuration(complete.gammaPeriod),
    'drift.window': formatDuration(complete.drift.window),
    'drift.metric': complete.drift.metric,
    'drift.estimators': complete.drift.estimators,
    'workers.exchange': complete.workers.exchange,
  };
  return {
    // The rules hold: either all of kafka.sasl is given or none of it.
    config: { ...complete, kafka: { ...kafka, ...(sasl.mechanism ? { sasl } : {}) } } as Config,
    entries: entries.map((entry) =>
      entry.value === undefined && Object.hasOwn(derived, entry.path)
        ? { ...entry, value: derived[entry.path], origin: 'derived' }
        : entry,
    ),
    warnings,
  };
}

/** Workers that keep their state in one place find each other there. */
function exchangeFor(store: DecodedConfig['state']['store']): 'none' | 'redis' {
  return store === 'redis' ? 'redis' : 'none';
}

function refusal(faults: readonly string[]): UnskewError {
  const head =
    faults.length === 1 ? 'configuration: ' : `configuration: ${faults.length} faults\n  `;
  return new UnskewError('USAGE', head + faults.join('\n  '));
}
