import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { SourceFile } from './source-files.js';

/** The number of lines that hold code: not those that are blank, or a comment alone. */
export function codeLines(text: string): number {
  const source = ts.createSourceFile('a.ts', text, ts.ScriptTarget.Latest, true);
  const lineOf = (position: number) => source.getLineAndCharacterOfPosition(position).line;
  const lines = new Set<number>();
  const visit = (node: ts.Node): void => {
    if (ts.isJSDoc(node)) return;
    const children = node.getChildren(source);
    if (children.length === 0 && node.getWidth(source) > 0) {
      for (let n = lineOf(node.getStart(source)); n <= lineOf(node.getEnd()); n++) lines.add(n);
    }
    children.forEach(visit);
  };
  visit(source);
  return lines.size;
}

/** Code lines of each top room of `src`; files beside the rooms count as one room, named `.`. */
export function linesByRoom(files: ReadonlyMap<string, SourceFile>): Map<string, number> {
  const lines = new Map<string, number>();
  for (const { path, text } of files.values()) {
    const room = path.includes('/') ? path.split('/')[0] : '.';
    lines.set(room, (lines.get(room) ?? 0) + codeLines(text));
  }
  return new Map([...lines].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Code lines of all TypeScript below a folder. */
export function linesBelow(folder: string): number {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .reduce((sum, name) => sum + codeLines(readFileSync(join(folder, name), 'utf8')), 0);
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

/** Rooms that are larger than their budget, and those that have none. */
export function budgetFaults(
  lines: ReadonlyMap<string, number>,
  budgets: Readonly<Record<string, number>>,
): string[] {
  return [...lines].flatMap(([room, count]) => {
    const budget = budgets[room];
    if (budget === undefined)
      return [`src/${room} has no budget in test/architecture/budgets.json`];
    if (count <= budget) return [];
    return [
      `src/${room} holds ${count} lines of code, more than its budget of ${budget}: take as many away, or raise the budget in a commit of its own that says why`,
    ];
  });
}

/** Budgets that have fallen to what is there; none rises. */
export function loweredBudgets(
  lines: ReadonlyMap<string, number>,
  budgets: Readonly<Record<string, number>>,
): Record<string, number> {
  return Object.fromEntries(
    [...lines].map(([room, count]) => [room, Math.min(count, budgets[room] ?? count)]),
  );
}

/** Words of a document, or of all below a folder. */
export function words(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + text.split(/\s+/).filter(Boolean).length, 0);
}
