import { type Command, Option } from 'commander';
import { KEY_INDEX } from '../../config/every-key.js';
import { RENAMED } from '../../config/former-keys.js';
import { COMMANDS, type CommandName } from '../../config/key.js';
import type { PlacedKey } from '../../config/key-index.js';
import { flagCommands, helpText } from '../../config/words.js';
import type { LoadedConfig } from '../../config.js';
import { setting } from './arguments.js';
import { areNamedBelow, byGroup, CONFIGURATION, headingOf } from './key-groups.js';

/** Adds `--config`, `--set` and the flags of the keys that the command takes. */
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

/** The configuration that a command's flags, the environment and the file give together. */
export async function settingsOf(
  command: Command,
  env: Readonly<Record<string, string | undefined>>,
): Promise<LoadedConfig> {
  const { readConfig } = await import('../../config.js');
  const given = command.opts<{ config?: string; set?: Record<string, string> }>();
  const overrides: Record<string, unknown> = { ...given.set };
  const overrideOrigins: Record<string, string> = {};
  for (const path of Object.keys(overrides)) overrideOrigins[path] = '--set';
  const flags = [...flagged(command), ...formerFlags(command)];
  for (const { flag, path } of flags) {
    const option = command.options.find(({ long }) => long === flag)!;
    const value: unknown = command.getOptionValue(option.attributeName());
    if (value === undefined) continue;
    overrides[path] = value;
    overrideOrigins[path] = flag!;
  }
  const sources = { file: given.config, env, overrides, overrideOrigins };
  const name = nameOf(command);
  if (!isReader(name)) return readConfig(sources);
  const loaded = readConfig({ ...sources, command: name });
  return { ...loaded, warnings: [...loaded.warnings, ...idle(given.set ?? {}, name)] };
}

/** What was set for this one call and has no effect in it. */
function idle(set: Readonly<Record<string, string>>, command: CommandName): string[] {
  return Object.keys(set)
    .filter((path) => !keyOf(path).commands.includes(command))
    .map((path) => `--set: ${path} has no effect in ${command}`);
}

/** The key, or the key of the field, that a path names or once named. */
function keyOf(path: string): PlacedKey {
  const now = RENAMED[path]?.to ?? path;
  return (KEY_INDEX.byPath.get(now) ?? KEY_INDEX.leaves.get(now))!;
}

/** Old names of the command's flags, with the old paths. */
function formerFlags(command: Command) {
  const keys = new Map(flagged(command).map((key) => [key.path, key]));
  return Object.entries(RENAMED).flatMap(([path, { to, flag }]) => {
    const key = keys.get(to);
    return flag === undefined || key === undefined ? [] : [{ flag, path, key }];
  });
}

/** Keys with a flag in the command. */
function flagged(command: Command): readonly PlacedKey[] {
  const name = nameOf(command);
  if (!isReader(name)) return [];
  return [...KEY_INDEX.byPath.values()].filter((key) => flagCommands(key).includes(name));
}

/** Of a command of a command with both names: `state export` is not `export`. */
function nameOf(command: Command): string {
  const above = command.parent;
  return above?.parent ? `${above.name()} ${command.name()}` : command.name();
}

function isReader(name: string): name is CommandName {
  return (COMMANDS as readonly string[]).includes(name);
}
