import ts from 'typescript';
import { ESTIMATORS } from '../../src/estimators/rules/registry.js';
import type { SourceFile } from './source-files.js';

/** Doubly robust values go by the name of an estimator, too. */
const NAMES: readonly string[] = [...ESTIMATORS, 'dr'];
const MENTIONED = new RegExp(`\\b(?:${NAMES.join('|')})\\b`);

/** Files that spell the name of an estimator as a text, or as the key of an object or a type. */
export function estimatorPlaces(files: ReadonlyMap<string, SourceFile>): string[] {
  return [...files.values()].filter(namesEstimator).map(({ path }) => path);
}

function namesEstimator({ path, text }: SourceFile): boolean {
  if (!MENTIONED.test(text)) return false;
  const names = (node: ts.Node): boolean =>
    NAMES.includes(spelled(node) ?? '') || ts.forEachChild(node, names) === true;
  return names(ts.createSourceFile(path, text, ts.ScriptTarget.Latest, true));
}

/** What a node says as a text or a key; a variable may have any name. */
function spelled(node: ts.Node): string | undefined {
  if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) return node.text;
  if (ts.isPropertyAccessExpression(node)) return node.name.text;
  if (ts.isBindingElement(node)) return keyOf(node);
  const isKeyed =
    ts.isPropertyAssignment(node) ||
    ts.isShorthandPropertyAssignment(node) ||
    ts.isPropertySignature(node) ||
    ts.isPropertyDeclaration(node);
  return isKeyed ? node.name.getText() : undefined;
}

/** The property that a destructured variable has its value from, if it is of an object. */
function keyOf({ parent, propertyName, name }: ts.BindingElement): string | undefined {
  return ts.isObjectBindingPattern(parent) ? (propertyName ?? name).getText() : undefined;
}
