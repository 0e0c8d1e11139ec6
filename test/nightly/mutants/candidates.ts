import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** One change to one expression of the core. */
export interface Mutant {
  /** Path below the root of the project. */
  readonly file: string;
  readonly start: number;
  readonly end: number;
  readonly line: number;
  readonly text: string;
  readonly changed: string;
}

const CORE = ['estimators', 'events', 'features', 'state', 'stream'];

const SWAPPED: Partial<Record<ts.SyntaxKind, string>> = {
  [ts.SyntaxKind.LessThanToken]: '<=',
  [ts.SyntaxKind.LessThanEqualsToken]: '<',
  [ts.SyntaxKind.GreaterThanToken]: '>=',
  [ts.SyntaxKind.GreaterThanEqualsToken]: '>',
  [ts.SyntaxKind.EqualsEqualsEqualsToken]: '!==',
  [ts.SyntaxKind.ExclamationEqualsEqualsToken]: '===',
};

/** Draw mutants of folders of `src`: the same ones for the same code and seed. */
export function drawMutants(count: number, seed: number, folders = CORE): Mutant[] {
  const all = folders.flatMap((room) =>
    readdirSync(join('src', room), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.ts') && !/assembly\/|page\//.test(name))
      .sort()
      .flatMap((name) => mutantsOf(join('src', room, name))),
  );
  const drawn: Mutant[] = [];
  for (let state = seed; drawn.length < Math.min(count, all.length); ) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const mutant = all[Math.floor((state / 2 ** 32) * all.length)]!;
    const overlaps = drawn.some(
      ({ file, start, end }) => file === mutant.file && start < mutant.end && mutant.start < end,
    );
    if (!overlaps) drawn.push(mutant);
  }
  return drawn;
}

/** All mutants of a file, in expressions that a function evaluates. */
function mutantsOf(file: string): Mutant[] {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, 'utf8'),
    ts.ScriptTarget.Latest,
    true,
  );
  const found: Mutant[] = [];
  const add = (node: ts.Node, changed: string) => {
    const start = node.getStart(source);
    const line = source.getLineAndCharacterOfPosition(start).line + 1;
    found.push({ file, start, end: node.getEnd(), line, text: node.getText(source), changed });
  };
  const visit = (node: ts.Node, isInFunction: boolean): void => {
    if (ts.isTypeNode(node) || ts.isThrowStatement(node)) return;
    if (isInFunction && ts.isBinaryExpression(node)) {
      const left = node.left.getText(source);
      const right = node.right.getText(source);
      const { kind } = node.operatorToken;
      const swapped = SWAPPED[kind];
      if (swapped !== undefined) add(node, `${left} ${swapped} ${right}`);
      if (kind === ts.SyntaxKind.PlusToken || kind === ts.SyntaxKind.MinusToken) add(node, left);
    }
    if (isInFunction && ts.isNumericLiteral(node) && ts.isExpression(node.parent)) {
      add(node, `(${node.text} + 1)`);
      add(node, `(${node.text} - 1)`);
    }
    const isFunction = ts.isFunctionLike(node);
    ts.forEachChild(node, (child) => visit(child, isInFunction || isFunction));
  };
  visit(source, false);
  return found;
}
