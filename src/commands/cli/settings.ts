import { type Command, Option } from 'commander';
import { Value } from 'typebox/value';
import { KEY_INDEX } from '../../config/every-key.js';
import { RENAMED } from '../../config/former-keys.js';
import { COMMANDS, type CommandName } from '../../config/key.js';
import type { PlacedKey } from '../../config/key-index.js';
import { fromText } from '../../config/layers.js';
import { flagCommands, helpText } from '../../config/words.js';
import type { LoadedConfig } from '../../config.js';
import { UnskewError } from '../../errors.js';
import { setting } from './arguments.js';

/** Headings for the flags of settings in a command's help, in the order of the help. */
const HEADINGS = {
  estimated: 'What is estimated:',
  popularity: 'Popularity and its bias:',
  estimates: 'How it is estimated:',
  set: 'The test set:',
  events: 'How events are read:',
  other: 'Configuration:',
} as const;

type Group = keyof typeof HEADINGS;

/** Heading for flags that concern the configuration as a whole. */
const CONFIGURATION = HEADINGS.other;

const ORDER = Object.keys(HEADINGS);

/** Keys listed first in the help: what is estimated, and with what it is compared. */
const ESTIMATED: ReadonlySet<string> = new Set([
  'estimates.metrics',
  'estimates.ks',
  'estimates.estimators',
  'comparisons.control',
  'baseline',
  'time.tick',
  'time.windows',
]);

/** Group in the help for each section of the configuration, and for keys outside of sections. */
const SECTIONS: Readonly<Record<string, Group>> = {
  popularity: 'popularity',
  gamma: 'popularity',
  gammaFit: 'popularity',
  estimates: 'estimates',
  catalogue: 'estimates',
  export: 'set',
  events: 'events',
  attribution: 'events',
  positive: 'events',
  time: 'events',
};

function groupOf({ path }: PlacedKey): Group {
  if (ESTIMATED.has(path)) return 'estimated';
  return SECTIONS[path.split('.', 1)[0]!] ?? 'other';
}

/** Heading in the help for a key's flag. */
function headingOf(key: PlacedKey): string {
  return HEADINGS[groupOf(key)];
}

/** Sort keys by the order of their groups in the help. */
function byGroup(keys: readonly PlacedKey[]): readonly PlacedKey[] {
  const place = (key: PlacedKey) => ORDER.indexOf(groupOf(key));
  return [...keys].sort((a, b) => place(a) - place(b));
}

/** Whether the possible values of a key are listed at the end of the help, see `namesHelp`. */
function areNamedBelow({ path }: PlacedKey): boolean {
  return path === 'estimates.metrics' || path === 'estimates.estimators';
}

const LISTS = new Map(
  [...KEY_INDEX.byPath.values()]
    .filter(({ flag, schema }) => flag !== undefined && 'items' in schema)
    .map((key) => [key.flag as string, key]),
);

/**
 * Reject a list that is split into several words (`--k 10 20`). A list is one word, such as `--k
 * 10,20`. A following word that cannot be a value of the list, such as a file, is allowed.
 *
 * @throws UnskewError USAGE
 */
export function refuseParted(argv: readonly string[]): void {
  const words = argv.flatMap((word) => parted(word));
  words.forEach((flag, at) => {
    const key = LISTS.get(flag);
    const [first, second] = words.slice(at + 1);
    if (key === undefined || first === undefined || second === undefined) return;
    if (!isList(key, `${first},${second}`)) return;
    const end = words.findIndex((word, n) => n > at && word.startsWith('-'));
    const values = words.slice(at + 1, end < 0 ? undefined : end);
    const joined = values.filter((word) => isList(key, word)).join(',');
    throw new UnskewError(
      'USAGE',
      `${flag} takes ${key.argument.slice(1, -1)} joined by commas: ${flag} ${joined}`,
    );
  });
}

/** Split a word such as `--k=10` into flag and value; other words stay whole. */
function parted(word: string): string[] {
  const at = word.indexOf('=');
  return word.startsWith('--') && at > 0 ? [word.slice(0, at), word.slice(at + 1)] : [word];
}

function isList(key: PlacedKey, text: string): boolean {
  const value = fromText(key.schema, text);
  if (!Value.Check(key.schema, value)) return false;
  try {
    key.decode(value);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Add `--config`, `--set` and the flags of the command's keys. */
export function addSettings(command: Command): Command {
  for (const key of byGroup(flagged(command))) {
    const option = new Option(
      `${key.flag} ${key.argument}`.trim(),
      helpText(key, areNamedBelow(key)),
    );
    command.addOption(option.helpGroup(headingOf(key)));
  }
  for (const { flag, key } of formerFlags(command)) {
    command.addOption(new Option(`${flag} ${key.argument}`).hideHelp());
  }
  const file = new Option('--config <file>', 'configuration in YAML (also UNSKEW_CONFIG)');
  const any = new Option(
    '--set <path=value>',
    'any setting of the configuration, such as time.idle=10s',
  );
  return command
    .addOption(file.helpGroup(CONFIGURATION))
    .addOption(any.argParser(setting).helpGroup(CONFIGURATION));
}

/** Load the configuration of a command from flags, environment and file. */
export async function settingsOf(
  command: Command,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoadedConfig> {
  const { readConfig } = await import('../../config.js');
  const given = command.opts<{
    config?: string;
    set?: Record<string, string>;
  }>();
  const overrides: Record<string, unknown> = { ...given.set };
  const overrideOrigins: Record<string, string> = {};
  for (const path of Object.keys(overrides)) {
    overrideOrigins[path] = '--set';
  }
  const flags = [...flagged(command), ...formerFlags(command)];
  for (const { flag, path } of flags) {
    const option = command.options.find(({ long }) => long === flag)!;
    const value: unknown = command.getOptionValue(option.attributeName());
    if (value === undefined) continue;
    overrides[path] = value;
    overrideOrigins[path] = flag!;
  }
  const sources = {
    file: given.config,
    env,
    overrides,
    overrideOrigins,
  };
  const name = nameOf(command);
  if (!isReader(name)) return readConfig(sources);
  const loaded = readConfig({
    ...sources,
    command: name,
  });
  return {
    ...loaded,
    warnings: [...loaded.warnings, ...idle(given.set ?? {}, name)],
  };
}

/** Warnings about settings given by `--set` that have no effect in a command. */
function idle(set: Readonly<Record<string, string>>, command: CommandName): string[] {
  return Object.keys(set)
    .filter((path) => !keyOf(path).commands.includes(command))
    .map((path) => `--set: ${path} has no effect in ${command}`);
}

/** Find a configuration key by its current or former path. */
function keyOf(path: string): PlacedKey {
  const now = RENAMED[path]?.to ?? path;
  return (KEY_INDEX.byPath.get(now) ?? KEY_INDEX.leaves.get(now))!;
}

/** Former flags of a command, each with the former path of its setting. */
function formerFlags(command: Command) {
  const keys = new Map(flagged(command).map((key) => [key.path, key]));
  return Object.entries(RENAMED).flatMap(([path, { to, flag }]) => {
    const key = keys.get(to);
    return flag === undefined || key === undefined
      ? []
      : [
          {
            flag,
            path,
            key,
          },
        ];
  });
}

/** Configuration keys that have a flag in a command. */
function flagged(command: Command): readonly PlacedKey[] {
  const name = nameOf(command);
  if (!isReader(name)) return [];
  return [...KEY_INDEX.byPath.values()].filter((key) => flagCommands(key).includes(name));
}

/** Name of a command with that of its parent, since `state export` is not `export`. */
function nameOf(command: Command): string {
  const above = command.parent;
  return above?.parent ? `${above.name()} ${command.name()}` : command.name();
}

function isReader(name: string): name is CommandName {
  return (COMMANDS as readonly string[]).includes(name);
}
