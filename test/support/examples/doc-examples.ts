import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** The `@example` of one doc comment, and where it stands. */
export interface DocExample {
  /** From `src`. */
  readonly file: string;
  readonly line: number;
  readonly code: string;
}

/** A statement of an example; `expected` is what the comment behind it says that it gives. */
export interface ExampleStep {
  readonly code: string;
  readonly isExpression: boolean;
  readonly expected: string | undefined;
}

const DOC_COMMENT = /\/\*\*[\s\S]*?\*\//g;
const NEXT_TAG = /^\s*@\w/m;

/** All examples of doc comments below a folder. */
export function docExamples(folder: string): DocExample[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .sort()
    .flatMap((file) => examplesOf(file, readFileSync(join(folder, file), 'utf8')));
}

export function examplesOf(file: string, source: string): DocExample[] {
  return [...source.matchAll(DOC_COMMENT)].flatMap(({ 0: comment, index }) => {
    const at = comment.indexOf('@example');
    if (at < 0) return [];
    const line = source.slice(0, index + at).split('\n').length;
    const text = comment
      .slice(0, -2)
      .split('\n')
      .map((each) => each.replace(/^\s*\/?\*+ ?/, ''))
      .join('\n');
    return text
      .split('@example')
      .slice(1)
      .map((part) => ({ file, line, code: part.split(NEXT_TAG)[0].trim() }));
  });
}

/** The steps of an example, each with the comment behind it on its line. */
export function stepsOf(code: string): ExampleStep[] {
  const source = ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest, true);
  return source.statements.map((statement) => {
    const behind = ts.getTrailingCommentRanges(code, statement.end)?.[0];
    return {
      code: statement.getText(source),
      isExpression: ts.isExpressionStatement(statement),
      expected: behind && code.slice(behind.pos, behind.end).replace(/^\/\/\s*/, ''),
    };
  });
}

/** Names that an example uses and does not declare itself. */
export function namesOf(code: string): Set<string> {
  const source = ts.createSourceFile('example.ts', code, ts.ScriptTarget.Latest, true);
  const used = new Set<string>();
  const visit = (node: ts.Node) => {
    if (ts.isIdentifier(node) && !isMember(node)) used.add(node.text);
    node.forEachChild(visit);
  };
  visit(source);
  return used;
}

function isMember({ parent, ...node }: ts.Identifier): boolean {
  return (
    (ts.isPropertyAccessExpression(parent) && parent.name.pos === node.pos) ||
    (ts.isPropertyAssignment(parent) && parent.name.pos === node.pos)
  );
}

const EXPORTED = /^export (?:async )?(?:function\*?|const|class) (\w+)/gm;

/** Which files of a folder export a name. */
export function exportsOf(folder: string): Map<string, string[]> {
  const files = new Map<string, string[]>();
  for (const file of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!file.endsWith('.ts')) continue;
    for (const [, name] of readFileSync(join(folder, file), 'utf8').matchAll(EXPORTED)) {
      files.set(name, [...(files.get(name) ?? []), file]);
    }
  }
  return files;
}
