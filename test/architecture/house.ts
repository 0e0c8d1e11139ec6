/**
 * Prints how large the house is: lines, folders, the path of an event, what the core imports of features.
 *
 *   npm run house               the table
 *   npm run house -- --budgets  lowers the budgets of rooms to what is there; none rises
 */
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KEY_INDEX } from '../../src/config/every-key.js';
import {
  filesByFolder,
  importsOfFeatures,
  linesBelow,
  linesByRoom,
  loweredBudgets,
  words,
} from './measures.js';
import { documentedPaths } from './paths.js';
import { readSource } from './source-files.js';

const root = process.cwd();
const files = readSource(root);
const rooms = linesByRoom(files);
const say = (line: string) => process.stdout.write(`${line}\n`);

if (process.argv.includes('--budgets')) {
  const place = join(root, 'test/architecture/budgets.json');
  const lowered = loweredBudgets(rooms, JSON.parse(readFileSync(place, 'utf8')));
  writeFileSync(place, `${JSON.stringify(lowered, null, 2)}\n`);
}

const folders = [...filesByFolder(files)].filter(([folder]) => folder !== '');
const path = documentedPaths(join(root, 'docs/internals/paths.md')).find(
  ({ title }) => title === 'From Kafka’s bytes to a gauge',
);
const stations = path?.stations.map(({ file }) => file) ?? [];
const changes = stations.filter((file, n) => n > 0 && dirname(file) !== dirname(stations[n - 1]));
const documents = [
  'README.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
].map((name) => readFileSync(join(root, name), 'utf8'));
const architecture = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8');

const rows: readonly (readonly [string, string | number])[] = [
  ['code lines in src', [...rooms.values()].reduce((a, b) => a + b, 0)],
  ...[...rooms].map(([room, lines]) => [`  ${room}`, lines] as const),
  ['code lines in test', linesBelow(join(root, 'test'))],
  ['files in src', files.size],
  ['folders in src', folders.length],
  ['folders of one or two files', folders.filter(([, count]) => count <= 2).length],
  ['files from Kafka’s bytes to a gauge', new Set(stations).size],
  ['changes of folder on the way', changes.length],
  ['imports from the core into a feature', importsOfFeatures(files).length],
  ['configuration keys', KEY_INDEX.byPath.size],
  ['words of ARCHITECTURE.md', words([architecture])],
  ['words of README.md and docs', words(documents)],
];
for (const [name, value] of rows) say(`${name.padEnd(40)} ${String(value).padStart(8)}`);
