import { spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, normalize, relative } from 'node:path';
import { parseArgs } from 'node:util';
import ts from 'typescript';

/**
 * Takes a feature out of a copy of the program, with those that need it and all of their lines in
 * the lists, and compiles what is left for Node and for the page. Ends with 1 and says where else
 * the feature was known.
 *
 *   npm run without -- [NAME …] [--tests]
 *
 * Without names it takes out ratings and why, one after the other. The other features are part of
 * the opening of every output, or of features that are. With `--tests` it runs tests of the core in
 * the copy too, those that do not name the feature.
 */
const { values: flags, positionals } = parseArgs({
  options: { tests: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const root = process.cwd();
const all = featuresOf(root);
const unknown = positionals.filter((name) => !all.includes(name));
if (unknown.length > 0) {
  process.stderr.write(`no feature is named ${unknown.join(', ')}; there are ${all.join(', ')}\n`);
  process.exit(2);
}

/** What the copy holds; packages and rules of alerts are linked, since they do not change. */
const COPIED = ['src', 'package.json', 'tsconfig.json', 'tsconfig.build.json', 'vitest.config.ts'];
/** Tests of what all features stand on: properties, oracles, contracts and the page of metrics. */
const CORE_TESTS = [
  ...[
    'decode-paths',
    'differences-oracle',
    'estimators-identities',
    'estimators-oracle',
    'log-identity',
    'monitor-invariance',
    'monitor-oracle',
    'open-requests-oracle',
    'own-lists-oracle',
    'sampled-state',
    'segments',
    'value-arms-oracle',
    'rating-window-oracle',
  ].map((name) => `test/property/${name}.test.ts`),
  ...['estimators', 'features', 'file-checkpoints', 'memory-broker', 'metrics', 'new-family'].map(
    (name) => `test/contract/${name}.memory.test.ts`,
  ),
  ...[
    'drift-series',
    'exporter',
    'id-series',
    'segment-series',
    'value-series',
    'verdict-series',
  ].map((name) => `test/unit/prometheus/${name}.test.ts`),
];

const copy = mkdtempSync(join(tmpdir(), 'unskew-without-'));
try {
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  symlinkSync(join(root, 'deploy'), join(copy, 'deploy'));
  for (const name of positionals.length > 0 ? positionals : ['ratings', 'why']) {
    const faults = without(name);
    for (const fault of faults) process.stderr.write(`${fault}\n`);
    if (faults.length > 0) process.exitCode = 1;
  }
} finally {
  rmSync(copy, { recursive: true });
}

function featuresOf(folder: string): string[] {
  return readdirSync(join(folder, 'src/features'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name);
}

/** Errors of the compiler, and failures of tests, in a copy without a feature. */
function without(name: string): string[] {
  for (const part of [...COPIED, ...(flags.tests ? ['test'] : [])]) {
    rmSync(join(copy, part), { recursive: true, force: true });
    cpSync(join(root, part), join(copy, part), { recursive: true });
  }
  const gone = withNeeding(name);
  for (const each of gone) {
    rmSync(join(copy, 'src/features', each), { recursive: true });
    rmSync(join(copy, 'test/features', each), { recursive: true, force: true });
  }
  for (const file of lists()) takeOut(join(copy, 'src', file));
  const others = gone.filter((each) => each !== name);
  const more = others.length === 0 ? '' : `, and ${others.join(', ')}, which need it`;
  process.stdout.write(`without ${name}${more}\n`);
  const errors = ['tsconfig.build.json', 'src/page/tsconfig.json'].flatMap((config) => {
    // What a list no longer asks for is no fault: an entry that used it may come again.
    const unused = ['--noUnusedLocals', 'false', '--noUnusedParameters', 'false'];
    const { status, stdout, stderr } = ran('tsc', ['--noEmit', ...unused, '-p', config]);
    if (status === 0) return [];
    const said = stdout.split('\n').filter((line) => line.includes('error TS'));
    return said.length > 0 ? said : [`${stdout}${stderr}`];
  });
  return [...errors, ...(flags.tests && errors.length === 0 ? failedTests(gone) : [])];
}

function ran(tool: string, args: readonly string[]) {
  return spawnSync(join(root, 'node_modules/.bin', tool), args, { cwd: copy, encoding: 'utf8' });
}

/** The feature with all that import it, however far away. */
function withNeeding(name: string): string[] {
  const gone = new Set([name]);
  for (let before = 0; before !== gone.size; ) {
    before = gone.size;
    for (const other of featuresOf(copy)) {
      const folder = join(copy, 'src/features', other);
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
      const needs = files.filter((file) => file.endsWith('.ts'));
      if (needs.some((file) => namesOne(join(folder, file), [...gone]))) gone.add(other);
    }
  }
  return [...gone];
}

function namesOne(file: string, names: readonly string[]): boolean {
  return importedPaths(readFileSync(file, 'utf8'))
    .map((path) => relative(join(copy, 'src/features'), normalize(join(dirname(file), path))))
    .some((path) => names.some((name) => path.startsWith(`${name}/`)));
}

function importedPaths(text: string): string[] {
  return [...text.matchAll(/\bfrom '(\.[^']+)'/g)].map(([, path]) => path!);
}

/** Files that may name features. */
function lists(): string[] {
  const inFeatures = readdirSync(join(copy, 'src/features')).filter((file) => file.endsWith('.ts'));
  return ['index.ts', ...inFeatures.map((file) => `features/${file}`)];
}

/** Takes out imports of what is gone, and the entries of lists that hold them. */
function takeOut(path: string): void {
  const text = readFileSync(path, 'utf8');
  const file = ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true);
  const gone = new Set<string>();
  const cuts: ts.Node[] = [];
  for (const statement of file.statements) {
    if (!ts.isImportDeclaration(statement) && !ts.isExportDeclaration(statement)) continue;
    const from = statement.moduleSpecifier;
    if (from === undefined || !ts.isStringLiteral(from) || !from.text.startsWith('.')) continue;
    const target = join(dirname(path), from.text.replace(/\.js$/, '.ts'));
    if (existsSync(target)) continue;
    cuts.push(statement);
    const named = ts.isImportDeclaration(statement) && statement.importClause?.namedBindings;
    if (named && ts.isNamedImports(named))
      for (const { name } of named.elements) gone.add(name.text);
  }
  const visit = (node: ts.Node): void => {
    if (cuts.includes(node)) return;
    if (ts.isIdentifier(node) && gone.has(node.text)) cuts.push(entryOf(node));
    else node.forEachChild(visit);
  };
  file.forEachChild(visit);
  const isWithin = (node: ts.Node, other: ts.Node) =>
    node !== other && node.pos >= other.pos && node.end <= other.end;
  const whole = [...new Set(cuts)].filter((cut) => !cuts.some((other) => isWithin(cut, other)));
  writeFileSync(path, withoutNodes(text, file, whole));
}

/** The smallest part that a name stands in of an array, an object, a type, an interface or a block. */
function entryOf(node: ts.Node): ts.Node {
  for (let own = node; ; own = own.parent) {
    const { parent } = own;
    const isEntry =
      ts.isArrayLiteralExpression(parent) ||
      ts.isObjectLiteralExpression(parent) ||
      ts.isIntersectionTypeNode(parent) ||
      ts.isUnionTypeNode(parent) ||
      ts.isInterfaceDeclaration(parent) ||
      ts.isBlock(parent) ||
      ts.isSourceFile(parent);
    if (isEntry) return own;
  }
}

/** The text without some nodes, and without the sign that parts each from its neighbour. */
function withoutNodes(text: string, file: ts.SourceFile, nodes: readonly ts.Node[]): string {
  const spans = nodes.map((node) => {
    const end = node.getEnd();
    const isOfTypes = ts.isIntersectionTypeNode(node.parent) || ts.isUnionTypeNode(node.parent);
    const after = /^\s*[,&|]/.exec(text.slice(end));
    if (after) return [node.getFullStart(), end + after[0].length] as const;
    const before = isOfTypes ? /[&|]\s*$/.exec(text.slice(0, node.getStart(file))) : null;
    return [node.getStart(file) - (before?.[0].length ?? 0), end] as const;
  });
  return spans
    .sort(([a], [b]) => b - a)
    .reduce((left, [from, to]) => left.slice(0, from) + left.slice(to), text);
}

/** Tests that import what is gone, or are named after it, go with it; the others have to pass. */
function failedTests(gone: readonly string[]): string[] {
  const isOfIt = (file: string) => gone.some((name) => file.includes(name.replace(/s$/, '')));
  const tests = CORE_TESTS.filter(
    (file) => !isOfIt(basename(file)) && isWhole(join(copy, file), new Set()),
  );
  const { status, stdout, stderr } = ran('vitest', ['run', ...tests]);
  process.stdout.write(`  ${tests.length} of ${CORE_TESTS.length} files of tests of the core\n`);
  if (status === 0) return [];
  const said = stdout.split('\n').filter((line) => /FAIL|Error:/.test(line));
  return said.length > 0 ? said : [stderr];
}

/** Whether all that a file of tests imports is there, however far away. */
function isWhole(file: string, seen: Set<string>): boolean {
  if (seen.has(file)) return true;
  seen.add(file);
  if (!existsSync(file)) return false;
  if (!file.startsWith(join(copy, 'test'))) return true;
  return importedPaths(readFileSync(file, 'utf8')).every((path) =>
    isWhole(normalize(join(dirname(file), path.replace(/\.js$/, '.ts'))), seen),
  );
}
