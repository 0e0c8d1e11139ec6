import { Value } from 'typebox/value';
import { KEY_INDEX, KEYS } from './config/every-key.js';
import { removalFaults } from './config/former-keys.js';
import { type CommandName, type Complete, type Decoded, decodedName } from './config/key.js';
import type { PlacedKey } from './config/key-index.js';
import { checkLetters, payloadOf } from './config/keys/events.js';
import { checkExport } from './config/keys/export.js';
import { authOf, checkHttp, checkResults } from './config/keys/http.js';
import { checkIntake } from './config/keys/intake.js';
import { checkKafka, type Login, loginOf } from './config/keys/kafka.js';
import {
  causedPopularityOf,
  checkGamma,
  checkHorizon,
  gammaDefaultOf,
} from './config/keys/popularity.js';
import { checkRegistry } from './config/keys/registry.js';
import { checkState, panesTopicOf } from './config/keys/state.js';
import { checkTime, longestWindowMs } from './config/keys/time.js';
import {
  environmentLayer,
  fileLayer,
  type Layer,
  overrideLayer,
  presetLayer,
  shown,
  takeFormer,
} from './config/layers.js';
import { formatDuration } from './config/units.js';
import { UnskewError } from './errors.js';
import { checkFeatures, completeFeatures } from './features/keys.js';

export { KEY_INDEX, KEYS };

type Given = Decoded<typeof KEYS>;
type Filled = Complete<typeof KEYS>;

/** The effective configuration: durations in ms (`…Ms`), sizes in bytes (`…Bytes`). */
export type Config = Omit<Filled, 'kafka'> & {
  readonly kafka: Omit<Filled['kafka'], 'sasl'> & {
    /** Login, complete for its mechanism; undefined without SASL. */
    readonly sasl?: Login;
  };
};

export interface ConfigSources {
  /** Path of a YAML file; by default that in the variable `UNSKEW_CONFIG`, if it is set. */
  readonly file?: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Values by path (`time.tick`) that override the environment; texts are read like variables. */
  readonly overrides?: Readonly<Record<string, unknown>>;
  /** Origin of each override for messages, by path, e.g. `--tick`; `command line` by default. */
  readonly overrideOrigins?: Readonly<Record<string, string>>;
  /** Command that reads the configuration; without warnings about keys that it does not use. */
  readonly command?: CommandName;
}

/** One value of the configuration with its origin, as `unskew config` prints it. */
export interface ConfigEntry {
  readonly key: PlacedKey;
  readonly path: string;
  /** Value as given, before units are resolved; undefined if neither given nor defaulted. */
  readonly value: unknown;
  /** `default`, `derived`, `file:line`, the environment variable's name, or `command line`. */
  readonly origin: string;
}

export interface LoadedConfig {
  readonly config: Config;
  readonly entries: readonly ConfigEntry[];
  /** Warnings about values that are allowed but not advised, one line each. */
  readonly warnings: readonly string[];
}

/**
 * Read the configuration. In increasing precedence: defaults, the preset, the file, the environment
 * and overrides.
 *
 * @throws UnskewError USAGE that lists every fault, one per line, with its origin, its path, what
 * was expected and what was found.
 */
export function readConfig(sources: ConfigSources): LoadedConfig {
  const file = sources.file ?? (sources.env['UNSKEW_CONFIG'] || undefined);
  const given = [
    ...(file === undefined ? [] : [fileLayer(file, KEY_INDEX)]),
    environmentLayer(sources.env, KEY_INDEX),
    overrideLayer(sources.overrides ?? {}, sources.overrideOrigins ?? {}, KEY_INDEX),
  ];
  const former = takeFormer(given, KEY_INDEX);
  const layers = [presetLayer(given), ...given];
  const faults = layers.flatMap((layer) => layer.faults);
  faults.push(...removalFaults(layers.flatMap((layer) => layer.removed)));
  const root: Record<string, unknown> = {};
  const entries = [...KEY_INDEX.leaves.values()].map((key) => decode(key, layers, root, faults));
  if (faults.length > 0) throw refusal(faults);
  return finish(root as Given, entries, former, sources.command);
}

/** Read the effective configuration only, as `readConfig` does. */
export function loadConfig(sources: ConfigSources): Config {
  return readConfig(sources).config;
}

/** Find a key's value of the highest precedence, check it, and set it in `root`, decoded. */
function decode(
  key: PlacedKey,
  layers: readonly Layer[],
  root: Record<string, unknown>,
  faults: string[],
): ConfigEntry {
  const given = layers.map((layer) => layer.values.get(key.path)).findLast((entry) => entry);
  const { value, origin } = given ?? {
    value: key.default,
    origin: 'default',
  };
  if (value === undefined) {
    set(root, key, undefined);
  } else if (Value.Check(key.schema, value)) {
    try {
      set(root, key, key.decode(value));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      faults.push(`${origin}: ${key.path}: ${error.message}`);
    }
  } else {
    const found = key.secret === true ? '(hidden)' : shown(value);
    faults.push(`${origin}: ${key.path}: expected ${key.expected}, found ${found}`);
  }
  return {
    key,
    path: key.path,
    value,
    origin,
  };
}

/** Set a value, and create the sections above it; undefined creates the sections only. */
function set(root: Record<string, unknown>, key: PlacedKey, value: unknown): void {
  const names = key.path.split('.');
  const last = names.pop()!;
  let section = root;
  for (const name of names) {
    section[name] ??= {};
    section = section[name] as Record<string, unknown>;
  }
  if (value !== undefined) {
    section[decodedName(last, key.suffix)] = value;
  }
}

/** Complete values that are derived from others, and check the rules between values. */
function finish(
  given: Given,
  entries: readonly ConfigEntry[],
  former: ReturnType<typeof takeFormer>,
  command: CommandName | undefined,
): LoadedConfig {
  const complete = filled(given);
  const originOf = new Map(entries.map(({ path, origin }) => [path, origin]));
  const faults: string[] = [];
  const line = (place: string, message: string): string =>
    `${originOf.get(place.replace(/\[\d+\]$/, '')) ?? 'default'}: ${place}: ${message}`;
  const fault = (path: string, message: string) => faults.push(line(path, message));
  const isUsed = (path: string) =>
    command === undefined || KEY_INDEX.leaves.get(path)!.commands.includes(command);
  const warnings = former.filter(([to]) => isUsed(to)).map(([, warning]) => warning);
  const warn = (path: string, message: string) => {
    if (isUsed(path)) {
      warnings.push(line(path, message));
    }
  };
  checkKafka(complete.kafka, fault);
  checkRegistry(complete.registry, complete.kafka, complete.intake, fault);
  checkLetters(complete.deadLetters, complete.events, fault);
  checkIntake(complete.intake, complete.kafka.topics, fault);
  checkTime(complete.time, fault);
  checkHorizon(complete, fault, warn);
  checkGamma(complete, fault);
  checkFeatures(given, complete, fault, warn);
  checkState(complete, fault);
  // A container image configured for the service also runs other commands, without HTTP.
  checkHttp(given.http, (path, message) => isUsed(path) && fault(path, message));
  checkExport(complete.export, fault);
  checkResults(complete.results, fault);
  if (faults.length > 0) throw refusal(faults);
  const { sasl, ...kafka } = complete.kafka;
  const login = loginOf(sasl);
  return {
    config: {
      ...complete,
      kafka: {
        ...kafka,
        ...(login && { sasl: login }),
      },
    },
    entries: withDerived(entries, complete),
    warnings,
  };
}

function filled(given: Given): Filled {
  const longestMs = longestWindowMs(given.time.windows);
  const { popularity, panes, kafka } = given;
  return {
    ...given,
    popularity: {
      ...popularity,
      horizonMs: popularity.horizonMs ?? 10 * longestMs,
      caused: popularity.caused ?? causedPopularityOf(given.estimates.feedback),
    },
    gammaPeriodMs: given.gammaPeriodMs ?? longestMs,
    gammaDefault: given.gammaDefault ?? gammaDefaultOf(given.gamma),
    ...completeFeatures(given),
    deadLetters: {
      ...given.deadLetters,
      payload: payloadOf(given.deadLetters, given.events),
    },
    http: {
      ...given.http,
      auth: authOf(given.http),
    },
    panes: { topic: panes.topic ?? panesTopicOf(kafka.groupId) },
  };
}

function withDerived(entries: readonly ConfigEntry[], complete: Filled): readonly ConfigEntry[] {
  return entries.map((entry) => {
    const { key, value } = entry;
    if (value !== undefined || key.presence !== 'derived') return entry;
    return {
      ...entry,
      value: derivedValue(key, complete),
      origin: 'derived',
    };
  });
}

/** Value of a derived key, as one would write it in a file. */
function derivedValue({ path, suffix }: PlacedKey, complete: Filled): unknown {
  const names = path.split('.');
  const last = decodedName(names.pop()!, suffix);
  let section: unknown = complete;
  for (const name of names) {
    section = (section as Record<string, unknown>)[name];
  }
  const value = (section as Record<string, unknown>)[last];
  return suffix === 'Ms' ? formatDuration(value as number) : value;
}

function refusal(faults: readonly string[]): UnskewError {
  const head =
    faults.length === 1 ? 'configuration: ' : `configuration: ${faults.length} faults\n  `;
  return new UnskewError('USAGE', head + faults.join('\n  '));
}
