import type { Section } from '../src/config/key.js';
import { KeyIndex, type PlacedKey } from '../src/config/key-index.js';
import { defaultText, firstSentence, flagCommands } from '../src/config/words.js';

const HEAD = `# Configuration

Written by \`npm run docs\` from the keys in \`src/config/keys\`.

From weakest to strongest: defaults, a YAML file (\`--config\` or \`UNSKEW_CONFIG\`), environment variables, flags and \`--set key=value\`. The variable of \`kafka.groupId\` is \`UNSKEW_KAFKA_GROUP_ID\`, and so on. Durations are written \`90s\`, \`1h\` or \`30d\`, sizes \`512KiB\` or \`1MiB\`. Lists in variables and flags are separated by commas, and objects are JSON. An unknown key is an error.

\`unskew config\` prints every value and where it comes from. \`--describe\` explains each key in full, and \`--json-schema\` gives editors completion and checks.
`;

/** The keys that most people set, in the order in which they meet them. */
const COMMON = [
  'kafka.brokers',
  'kafka.groupId',
  'kafka.topics.exposures',
  'kafka.topics.interactions',
  'kafka.start',
  'kafka.ssl',
  'kafka.sasl',
  'intake.sources',
  'events.mapping',
  'events.actions',
  'time.windows',
  'time.tick',
  'time.lateness',
  'attribution.ttl',
  'popularity.horizon',
  'catalogue.size',
  'estimates.metrics',
  'estimates.ks',
  'gamma',
  'comparisons.control',
  'experiment.split',
  'state.store',
  'state.dir',
  'state.redisUrl',
  'limits.rows',
  'http.host',
  'http.token',
];

/** Where all other keys stand, by the first part of their path. */
const GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Kafka and events': ['kafka', 'registry', 'intake', 'events', 'deadLetters'],
  'Time and attribution': ['time', 'dedupe', 'attribution'],
  'Popularity and γ': [
    'popularity',
    'positive',
    'gamma',
    'gammaFit',
    'gammaDefault',
    'gammaPeriod',
    'catalogue',
  ],
  Estimates: ['preset', 'estimates', 'baseline', 'comparisons', 'ratings', 'segments'],
  Experiment: ['experiment', 'value', 'decision'],
  Drift: ['drift'],
  'State and limits': ['state', 'panes', 'models', 'limits', 'stopTimeout'],
  'HTTP and outputs': ['http', 'page', 'history', 'results', 'estimatesFile', 'log'],
  'Test sets': ['export'],
};

/** `docs/configuration.md`: the keys that people set, then all others in groups. */
export function configurationPage(keys: Section): string {
  const { byPath } = new KeyIndex(keys);
  const rest = [...byPath.values()].filter(({ path }) => !COMMON.includes(path));
  for (const { path } of rest) {
    const section = path.split('.')[0]!;
    if (!Object.values(GROUPS).flat().includes(section)) {
      throw new Error(
        `docs/configuration-page.ts: add the section ${section} of ${path} to GROUPS`,
      );
    }
  }
  const parts = [
    part(
      'Keys you will set',
      COMMON.map((path) => byPath.get(path)!),
      ({ description }) => description,
    ),
    ...Object.entries(GROUPS).map(([title, sections]) =>
      part(
        title,
        rest.filter(({ path }) => sections.includes(path.split('.')[0]!)),
        (key) => `${firstSentence(key)}.`,
      ),
    ),
  ];
  return `${HEAD}\n${parts.join('\n')}\n${statePart([...byPath.values()])}`;
}

const STATE_HEAD = `## Changing settings of a service that keeps state

What the next start does with stored state if a key has changed: it stays as it is (**kept**), is adapted (**converted**), or what depends on the key starts from nothing (**reset**). If a change is **refused**, the service exits with code 2 and says what to do. All other keys may change freely. \`unskew state inspect\` checks your state.

| keys | state | note |
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

type Meaning = (key: PlacedKey) => string;

function part(title: string, keys: readonly PlacedKey[], meaning: Meaning): string {
  const head = '| key, flag | default | meaning |\n| --- | --- | --- |';
  const rows = keys.map((key) => row(key, meaning(key)));
  return `## ${title}\n\n${head}\n${rows.join('\n')}\n`;
}

function row(key: PlacedKey, meaning: string): string {
  const { path, flag } = key;
  const name = `\`${path}\``;
  const cells = [
    flag === undefined ? name : `${name}<br>\`${flag}\``,
    defaultCell(key),
    meaning + fieldNames(key) + choices(key, meaning),
  ];
  return `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
}

/** The names to choose from, unless the meaning says what each of them does. */
function choices({ range, argument }: PlacedKey, meaning: string): string {
  if (!/^<(names?|[^<>]+\|[^<>]+)>$/.test(argument)) return '';
  const names = range.replace(/^some of /, '').split(', ');
  const areNames = names.every((name) => /^[a-z][\w-]*$/.test(name));
  const areDescribed = names.every((name) => meaning.includes(`\`${name}\``));
  return areDescribed || !areNames ? '' : ` Choices: ${names.join(', ')}.`;
}

function fieldNames({ fields }: PlacedKey): string {
  return fields === undefined ? '' : ` Fields: ${Object.keys(fields).join(', ')}.`;
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
