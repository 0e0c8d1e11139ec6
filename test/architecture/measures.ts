import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { SourceFile } from './source-files.js';

/** How much code a text holds, comments and blank lines left out. */
export interface CodeSize {
  /** Lines that hold code. */
  readonly lines: number;
  /** Words and signs: matches of `TOKEN`. */
  readonly tokens: number;
  /** Literals spread into literals, such as `...{ a, b }`. */
  readonly spreadLiterals: number;
}

const TOKEN = /[A-Za-z0-9_$]+|[^\sA-Za-z0-9_$]/g;

/** Measure the code of one text. */
export function codeSize(text: string): CodeSize {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const lines = new Set<number>();
  let tokens = 0;
  let spreadLiterals = 0;
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    if (isSpreadLiteral(node)) spreadLiterals++;
    const children = node.getChildren(source);
    if (children.length === 0 && node.getWidth(source) > 0) {
      for (let n = lineOf(node.getStart(source)); n <= lineOf(node.getEnd()); n++) lines.add(n);
      tokens += node.getText(source).match(TOKEN)?.length ?? 0;
    }
    children.forEach(visit);
  };
  visit(source);
  return { lines: lines.size, tokens, spreadLiterals };
}

function isSpreadLiteral(node: ts.Node): boolean {
  if (!ts.isSpreadAssignment(node) && !ts.isSpreadElement(node)) return false;
  let own = node.expression;
  while (ts.isParenthesizedExpression(own) || ts.isAsExpression(own)) own = own.expression;
  return ts.isObjectLiteralExpression(own) || ts.isArrayLiteralExpression(own);
}

/** The sum of several sizes. */
export function totalSize(sizes: Iterable<CodeSize>): CodeSize {
  const total = { lines: 0, tokens: 0, spreadLiterals: 0 };
  for (const size of sizes) {
    total.lines += size.lines;
    total.tokens += size.tokens;
    total.spreadLiterals += size.spreadLiterals;
  }
  return total;
}

/** Size of each top room of `src`; files beside the rooms count as one room, named `.`. */
export function sizeByRoom(files: ReadonlyMap<string, SourceFile>): Map<string, CodeSize> {
  const sizes = new Map<string, CodeSize>();
  for (const { path, text } of files.values()) {
    const room = path.includes('/') ? path.split('/')[0] : '.';
    const before = sizes.get(room);
    const own = codeSize(text);
    sizes.set(room, before === undefined ? own : totalSize([before, own]));
  }
  return new Map([...sizes].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The text of each TypeScript file below a folder. */
export function textsBelow(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
}

/** Folders that hold files of the program, with how many. */
export function filesByFolder(files: ReadonlyMap<string, SourceFile>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const path of files.keys()) {
    const folder = path.split('/').slice(0, -1).join('/');
    counts.set(folder, (counts.get(folder) ?? 0) + 1);
  }
  return counts;
}

const FEATURE = /^features\/([^/]+)\//;

/** Imports of a feature's files from outside of it, the lists and the library aside. */
export function importsOfFeatures(files: ReadonlyMap<string, SourceFile>): string[] {
  return [...files.values()].flatMap(({ path, imports }) => {
    if (path === 'index.ts' || path.startsWith('features/')) return [];
    return imports.filter((target) => FEATURE.test(target)).map((target) => `${path} → ${target}`);
  });
}

/** Words of a document, or of all below a folder. */
export function words(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.split(/\s+/).filter(Boolean).length, 0);
}
