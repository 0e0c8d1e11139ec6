import { isKey, type Section } from '../src/config/key.js';
import { KeyIndex, type PlacedKey } from '../src/config/key-index.js';
import { defaultText, flagCommands, rangeText } from '../src/config/words.js';

const HEAD = `# Configuration

Written by \`npm run docs\` from the keys in \`src/config/keys\`; to change it, change them.

From weakest to strongest: defaults, a YAML file (\`--config\` or \`UNSKEW_CONFIG\`), environment variables, flags and \`--set key=value\`. An unknown key or variable is an error that names it. Durations are written \`90s\`, \`1h\`, \`30d\`, or as whole milliseconds; sizes \`512KiB\`, \`1MiB\`, or as whole bytes; a list in a variable or flag is separated by commas.

\`unskew config\` prints every value and where it comes from, with \`--describe\` what it means. For editors:

\`\`\`sh
npx unskew config --json-schema > unskew.schema.json
\`\`\`

With this as the first line of the YAML file an editor completes keys, shows what they mean and marks what is wrong:

\`\`\`yaml
# yaml-language-server: $schema=./unskew.schema.json
\`\`\`

Each key works in the commands that are named. Its flag, if it has one, is a flag of these commands but \`serve\`, unless it says so. A key of several fields is an object in the file, and JSON as a variable or after \`--set\`; each field may also be given by itself (\`kafka.sasl.password\`, \`UNSKEW_KAFKA_SASL_PASSWORD\`). Old names of keys go on working, with a warning, until 1.0.
`;

/** `docs/configuration.md`: every key, by section. */
export function configurationPage(keys: Section): string {
  const index = [...new KeyIndex(keys).byPath.values()];
  const alone = Object.keys(keys).filter((name) => isKey(keys[name]!));
  const sections = Object.keys(keys).filter((name) => !alone.includes(name));
  const parts = [
    ...sections.map((name) =>
      part(
        name,
        index.filter(({ path }) => path.startsWith(`${name}.`)),
      ),
    ),
    part(
      'Keys of no section',
      index.filter(({ path }) => alone.includes(path)),
    ),
  ];
  return `${HEAD}\n${parts.join('\n')}\n${statePart(index)}`;
}

const STATE_HEAD = `## Changing settings of a service that keeps state

What becomes of the state (\`state.store\`) at the next start with another value. **kept**: it goes on, and what comes is judged by the new value. **converted**: it is taken over as far as it goes. **reset**: what depends on the setting begins from nothing. **refused**: the service ends with code 2 before it takes a partition, and one line says what to do. All other keys may change at any time. \`unskew state inspect\` says the same of what is stored now.

| keys | state | |
| --- | --- | --- |
`;

function statePart(keys: readonly PlacedKey[]): string {
  const byEffect = new Map<string, string[]>();
  for (const { path, state } of keys) {
    if (state === undefined) continue;
    const effect = `${state.effect} | ${state.how}`;
    byEffect.set(effect, [...(byEffect.get(effect) ?? []), `\`${path}\``]);
  }
  const rows = [...byEffect].map(([effect, paths]) => `| ${paths.join(', ')} | ${effect} |\n`);
  return STATE_HEAD + rows.join('');
}

function part(title: string, keys: readonly PlacedKey[]): string {
  const head =
    '| key, variable | default | takes | in | meaning |\n| --- | --- | --- | --- | --- |';
  const fields = keys.map(fieldsPart).join('');
  return `## ${title}\n\n${head}\n${keys.map(row).join('\n')}\n${fields}`;
}

/** What an object holds, one line each; nothing of any other key. */
function fieldsPart({ path, fields }: PlacedKey): string {
  if (fields === undefined) return '';
  const lines = Object.entries(fields).map(([name, field]) => {
    const text = defaultText(field);
    const otherwise = text === undefined ? '' : `; by default \`${text}\``;
    return `- \`${name}\` (${rangeText(field)}${otherwise}): ${field.description}\n`;
  });
  return `\nFields of \`${path}\`:\n\n${lines.join('')}`;
}

function row(key: PlacedKey): string {
  const { path, variable, description, commands, flag, isFlagOfServe } = key;
  const flagged = flag === undefined ? '' : `; \`${flag}\`${isFlagOfServe ? ' of all' : ''}`;
  const cells = [
    `\`${path}\`<br>\`${variable}\``,
    defaultCell(key),
    rangeText(key),
    commands.join(', ') + flagged,
    description,
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

function defaultCell(key: PlacedKey): string {
  const text = defaultText(key);
  if (key.serviceDefault !== undefined) return `\`${key.serviceDefault}\` in a service`;
  if (text === undefined) return '–';
  return key.presence === 'derived' ? text : `\`${text}\``;
}

/** What is missing of what every key has to say, one line each. */
export function keyFaults(keys: Section): string[] {
  const { byPath, leaves } = new KeyIndex(keys);
  return [...new Set([...byPath.values(), ...leaves.values()])].flatMap((key) =>
    faultsOf(key).map((fault) => `${key.path}: ${fault}`),
  );
}

function faultsOf(key: PlacedKey): string[] {
  const { description, range, unit, expected, commands, flag } = key;
  const isSentence = /^[\p{L}\d`][\s\S]*\.$/u.test(description ?? '');
  return [
    ...(isSentence ? [] : ['has no description in whole sentences']),
    ...(range ? [] : ['does not say its range']),
    ...(expected ? [] : ['does not say what it expects']),
    ...(unit === undefined || unit === '' ? ['does not say its unit, or null for none'] : []),
    ...(commands?.length > 0 ? [] : ['names no command that it has an effect in']),
    ...(flag === undefined || flagCommands(key).length > 0
      ? []
      : [`has the flag ${flag} in no command`]),
  ];
}
