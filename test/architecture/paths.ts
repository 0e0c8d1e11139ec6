import { readFileSync } from 'node:fs';
import ts from 'typescript';
import type { SourceFile } from './source-files.js';

/** One stop on the way: a declaration in a file, and the files that it is reached through, if any. */
interface Station {
  readonly file: string;
  readonly symbol: string;
  readonly through: readonly string[];
}

export interface DocumentedPath {
  readonly title: string;
  readonly stations: readonly Station[];
  /** Files that a reader opens on the way: one for each change of file, also back to an earlier one. */
  readonly opened: number;
}

const PATHS = /^### (From .+)\n([\s\S]*?)(?=^#|(?![\s\S]))/gm;
const STATION = /^\d+\. `([^`]+\.ts)` `([^`]+)`(?: through ((?:(?:, )?`[^`]+\.ts`)+))?/gm;

/**
 * The paths that a document describes: under a heading `### From … to …` a numbered list whose lines
 * begin with a file below `src` and what it declares, such as `stream/pipeline.ts` `Pipeline.start`,
 * and where the step before knows it by a port or by what holds it `through` the files of these.
 */
export function documentedPaths(document: string): DocumentedPath[] {
  return [...readFileSync(document, 'utf8').matchAll(PATHS)].map(([, title, body]) => {
    const stations = [...body.matchAll(STATION)].map(([, file, symbol, through = '']) => ({
      file,
      symbol,
      through: [...through.matchAll(/`([^`]+)`/g)].map(([, each]) => each),
    }));
    const opened = stations.filter(({ file }, n) => file !== stations[n - 1]?.file).length;
    return { title, stations, opened };
  });
}

/**
 * Steps of a path that the code does not take: what is not declared where the path says, and a
 * station that no earlier one names, or whose file none of these imports.
 */
export function pathFaults(
  { title, stations }: DocumentedPath,
  files: ReadonlyMap<string, SourceFile>,
): string[] {
  const faults: string[] = [];
  const texts = stations.map(({ file, symbol }) => {
    const source = files.get(file);
    const text = source && declaration(source, symbol);
    if (text === undefined) faults.push(`${title}: ${file} does not declare ${symbol}`);
    return text ?? '';
  });
  stations.forEach((station, n) => {
    if (n === 0 || texts[n] === '') return;
    const isReached = stations
      .slice(0, n)
      .some((from, f) => isLinked(from, texts[f], station, texts[n], files));
    if (!isReached) faults.push(`${title}: nothing before it leads to ${station.symbol}`);
  });
  return faults;
}

function isLinked(
  from: Station,
  fromText: string,
  to: Station,
  toText: string,
  files: ReadonlyMap<string, SourceFile>,
): boolean {
  const isNamed = mentions(fromText, to.symbol) || mentions(toText, from.symbol);
  if (!isNamed) return false;
  const isImported = (file: string, other: string) =>
    file === other ||
    files.get(file)?.imports.includes(other) === true ||
    files.get(other)?.imports.includes(file) === true;
  const way = [from.file, ...to.through, to.file];
  return way.every((file, n) => n === 0 || isImported(way[n - 1], file));
}

function mentions(text: string, symbol: string): boolean {
  const name = symbol.split('.').at(-1)!;
  const names = name === 'constructor' ? [symbol.split('.')[0]] : [name];
  return names.some((each) =>
    new RegExp(`(?<![\\w$])${each.replace('$', '\\$')}(?![\\w$])`).test(text),
  );
}

/** Text of what a file declares under a name such as `tick` or `Pipeline.start`. */
function declaration({ path, text }: SourceFile, symbol: string): string | undefined {
  const [first, ...rest] = symbol.split('.');
  let nodes: readonly ts.Node[] = ts.createSourceFile(
    path,
    text,
    ts.ScriptTarget.Latest,
    true,
  ).statements;
  let found: ts.Node | undefined;
  for (const name of [first, ...rest]) {
    found = nodes.flatMap(declarations).find((node) => nameOf(node) === name);
    if (found === undefined) return undefined;
    nodes = membersOf(found);
  }
  return found?.getText();
}

function declarations(node: ts.Node): readonly ts.Node[] {
  return ts.isVariableStatement(node) ? node.declarationList.declarations : [node];
}

function nameOf(node: ts.Node): string | undefined {
  if (ts.isConstructorDeclaration(node)) return 'constructor';
  const { name } = node as ts.NamedDeclaration;
  return name?.getText();
}

function membersOf(node: ts.Node): readonly ts.Node[] {
  if (ts.isClassLike(node) || ts.isInterfaceDeclaration(node)) return node.members;
  const members: ts.Node[] = [];
  const visit = (child: ts.Node): void => {
    if (ts.isPropertyAssignment(child) || ts.isPropertySignature(child)) members.push(child);
    ts.forEachChild(child, visit);
  };
  visit(node);
  return members;
}
