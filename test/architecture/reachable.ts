import { readFileSync } from 'node:fs';
import { join, normalize } from 'node:path';
import ts from 'typescript';
import type { SourceFile } from './source-files.js';

/** Files below `src` that nobody reaches yet: why each is there, and what brings it into use. */
export type Waiting = Readonly<Record<string, { readonly reason: string; readonly until: string }>>;

type Files = ReadonlyMap<string, SourceFile>;

const THREAD = /\bfrom\('([^']+\.ts)'\)/g;
const CODE = /```[\s\S]*?```|`[^`\n]+`/g;
const AMBIENT = /^declare module '([^'*]+)\*?'/gm;
const LIBRARY = 'index.ts';

/**
 * Files that no command, page, thread or documented export leads to and that do not wait on the
 * list; and those on the list that are reached, or gone.
 */
export function unreachedFaults(root: string, files: Files, waiting: Waiting): string[] {
  const reached = reachedFrom(entryPoints(root, files), files);
  const unreached = [...files.keys()].filter((path) => path !== LIBRARY && !reached.has(path));
  return [
    ...unreached
      .filter((path) => waiting[path] === undefined)
      .map((path) => `nothing but tests reaches src/${path}`),
    ...Object.keys(waiting)
      .filter((path) => !unreached.includes(path))
      .map((path) => {
        const why = files.has(path) ? 'reached' : 'gone';
        return `unreached.json lists src/${path}, which is ${why}: take it off`;
      }),
  ];
}

function entryPoints(root: string, files: Files): string[] {
  const bundled = readFileSync(join(root, 'src/bundle.mjs'), 'utf8').matchAll(THREAD);
  const library = readFileSync(join(root, 'docs/library.md'), 'utf8');
  const code = [...library.matchAll(CODE)].map(([text]) => text).join('\n');
  const shown = new Set(code.match(/[\w$]+/g));
  const exported = exportsOf(files.get(LIBRARY)!, files);
  return [
    // The last is compiled into `scanner-code.ts`.
    'main.ts',
    'page/main.ts',
    'events/assembly/scanner.ts',
    ...[...bundled].map(([, path]) => path),
    ...exported
      .filter(({ names }) => names.some((name) => shown.has(name)))
      .map(({ file }) => file),
  ];
}

/** What a file exports of others, and the names. */
function exportsOf(from: SourceFile, files: Files) {
  return statementsOf(from).flatMap((node) => {
    if (!ts.isExportDeclaration(node) || node.moduleSpecifier === undefined) return [];
    const specifier = (node.moduleSpecifier as ts.StringLiteral).text;
    const file = normalize(specifier).replace(/\.js$/, '.ts');
    const clause = node.exportClause;
    const names =
      clause !== undefined && ts.isNamedExports(clause)
        ? clause.elements.map(({ name }) => name.text)
        : statementsOf(files.get(file)!).flatMap(declaredNames);
    return [{ file, names }];
  });
}

function statementsOf({ path, text }: SourceFile): readonly ts.Statement[] {
  return ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true).statements;
}

function declaredNames(node: ts.Statement): string[] {
  if (ts.isVariableStatement(node)) {
    return node.declarationList.declarations.map(({ name }) => name.getText());
  }
  const { name } = node as ts.Statement & { readonly name?: ts.Identifier };
  return name === undefined ? [] : [name.text];
}

/** Declarations of foreign modules are reached with any file that imports one of them. */
function reachedFrom(entries: readonly string[], files: Files): ReadonlySet<string> {
  const reached = new Set<string>();
  const open = [...entries];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const file = files.get(path);
    if (file === undefined || reached.has(path)) continue;
    reached.add(path);
    open.push(...file.imports);
  }
  const texts = [...reached].map((path) => files.get(path)!.text);
  for (const { path, text } of files.values()) {
    const modules = [...text.matchAll(AMBIENT)].map(([, module]) => `'${module}`);
    const isImported = modules.some((module) => texts.some((each) => each.includes(module)));
    if (path.endsWith('.d.ts') && isImported) reached.add(path);
  }
  return reached;
}
