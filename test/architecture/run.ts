/**
 * What the import rules cannot say: circles of imports, files that nobody reaches, files named and
 * linked in documents, the paths of docs/internals/paths.md, and in how many places an estimator is
 * named. Ends with 1 if something is wrong.
 *
 *   node --import tsx test/architecture/run.ts [--root DIR] [--paths FILE] [--count]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { cycles } from './cycles.js';
import { documentFaults } from './documents.js';
import { estimatorPlaces } from './estimator-places.js';
import { linkFaults } from './links.js';
import { importsOfFeatures } from './measures.js';
import { documentedPaths, pathFaults } from './paths.js';
import { unreachedFaults, type Waiting } from './reachable.js';
import { readSource } from './source-files.js';
import { textFaults } from './texts.js';

/** Most files that a reader may have to open on each path: as many as there are, so that none grows. */
const BOUNDS: Readonly<Record<string, number>> = {
  'From Kafka’s bytes to a gauge': 35,
  'From a configuration key to its effect': 5,
  'From an estimate to the page': 8,
};
const PATHS = 'docs/internals/paths.md';
const MOST_ESTIMATOR_PLACES = 3;
/** As many files as wait in unreached.json; lower it whenever one of them comes into use. */
const MOST_UNREACHED = 3;

const { values } = parseArgs({
  options: {
    root: { type: 'string', default: process.cwd() },
    paths: { type: 'string' },
    count: { type: 'boolean', default: false },
  },
});
const { root, count } = values;
const files = readSource(root);
const circles = cycles(files);
const places = estimatorPlaces(files);
const unreached: Waiting = JSON.parse(
  readFileSync(new URL('./unreached.json', import.meta.url), 'utf8'),
);
const paths = documentedPaths(values.paths ?? join(root, PATHS));

const faults = [
  ...circles.map((circle) => `imports run in a circle: ${circle.join(', ')}`),
  ...unreachedFaults(root, files, unreached),
  ...importsOfFeatures(files).map((each) => `a feature is imported outside of its lists: ${each}`),
  ...documentFaults(root),
  ...linkFaults(root),
  ...textFaults(root),
  ...paths.flatMap((path) => pathFaults(path, files)),
  ...Object.entries(BOUNDS).flatMap(([title, bound]) => {
    const path = paths.find((each) => each.title === title);
    if (path === undefined) return [`${PATHS} does not describe the path "${title}"`];
    return path.opened > bound ? [`${title}: ${path.opened} files, more than ${bound}`] : [];
  }),
  ...(places.length > MOST_ESTIMATOR_PLACES
    ? [`estimators are named in ${places.length} files: ${places.join(', ')}`]
    : []),
  ...(Object.keys(unreached).length > MOST_UNREACHED
    ? [`unreached.json has more than ${MOST_UNREACHED} files: the list may only shrink`]
    : []),
];

const say = (line: string) => process.stdout.write(`${line}\n`);

if (count) {
  for (const { title, opened } of paths) say(`${title}: ${opened} files opened`);
  say(`circles of imports, types included: ${circles.length}`);
  say(`files that name an estimator: ${places.length}`);
  process.exit(0);
}
for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
else say(`${files.size} files: imports, documents and paths are as described`);
