/**
 * `npm run house` prints how large the house is: tokens and lines of code, files, folders, the path
 * of an event, and what the core imports of features. It only reports, and fails nothing.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { KEY_INDEX } from '../../src/config/every-key.js';
import {
  type CodeSize,
  codeSize,
  filesByFolder,
  importsOfFeatures,
  sizeByRoom,
  textsBelow,
  totalSize,
  words,
} from './measures.js';
import { documentedPaths } from './paths.js';
import { readSource } from './source-files.js';

const root = process.cwd();
const files = readSource(root);
const rooms = sizeByRoom(files);
const src = totalSize(rooms.values());
const testTexts = textsBelow(join(root, 'test'));
const test = totalSize(testTexts.map(codeSize));

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

const perLine = ({ tokens, lines }: CodeSize) => (tokens / lines).toFixed(1);
const rows: readonly (readonly [string, string | number])[] = [
  ['tokens of code in src', src.tokens],
  ...[...rooms].map(([room, { tokens }]) => [`  ${room}`, tokens] as const),
  ['tokens of code in test', test.tokens],
  ['lines of code in src', src.lines],
  ['lines of code in test', test.lines],
  ['tokens a line in src', perLine(src)],
  ['tokens a line in test', perLine(test)],
  ['spread literals in src', src.spreadLiterals],
  ['spread literals in test', test.spreadLiterals],
  ['files in src', files.size],
  ['files in test', testTexts.length],
  ['folders in src', folders.length],
  ['folders of one or two files', folders.filter(([, count]) => count <= 2).length],
  ['files from Kafka’s bytes to a gauge', new Set(stations).size],
  ['changes of folder on the way', changes.length],
  ['imports from the core into a feature', importsOfFeatures(files).length],
  ['configuration keys', KEY_INDEX.byPath.size],
  ['words of ARCHITECTURE.md', words([architecture])],
  ['words of README.md and docs', words(documents)],
];
for (const [name, value] of rows) {
  process.stdout.write(`${name.padEnd(40)} ${String(value).padStart(8)}\n`);
}
