import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { parse } from 'yaml';
import type { SourceFile } from './source-files.js';

type Term = readonly [pattern: string, instead: string];

/** Rules whose summaries and descriptions people read. */
const RULES = ['deploy/prometheus/rules/alerts.yml', 'deploy/prometheus/rules/export.yml'];

/** Words of the list in `.textlintrc.json` that texts of the program and of its alerts use. */
export function textFaults(root: string, files: ReadonlyMap<string, SourceFile>): string[] {
  const terms: readonly Term[] = JSON.parse(readFileSync(join(root, '.textlintrc.json'), 'utf8'))
    .rules.terminology.terms;
  const words = terms.map(([pattern, instead]) => {
    return { pattern: new RegExp(`\\b(?:${pattern})\\b`, 'i'), instead };
  });
  const check = (place: string, text: string) =>
    words.flatMap(({ pattern, instead }) => {
      const found = pattern.exec(text)?.[0];
      return found === undefined ? [] : [`${place} says "${found}"; say "${instead}"`];
    });
  return [
    ...[...files.keys()].flatMap((file) =>
      textsOf(root, file).flatMap((text) => check(file, text)),
    ),
    ...RULES.flatMap((file) => alertTexts(root, file).flatMap((text) => check(file, text))),
  ];
}

/** Texts of more than one word; comments are for those who read the code. */
function textsOf(root: string, file: string): string[] {
  const code = readFileSync(join(root, 'src', file), 'utf8');
  const source = ts.createSourceFile(file, code, ts.ScriptTarget.Latest);
  const texts: string[] = [];
  const visit = (node: ts.Node) => {
    if (ts.isStringLiteralLike(node)) texts.push(node.text);
    else if (ts.isTemplateExpression(node)) {
      texts.push(
        [node.head.text, ...node.templateSpans.map((span) => span.literal.text)].join('…'),
      );
    }
    node.forEachChild(visit);
  };
  visit(source);
  return texts.filter((text) => text.includes(' '));
}

function alertTexts(root: string, file: string): string[] {
  const { groups } = parse(readFileSync(join(root, file), 'utf8')) as {
    groups: { rules: { annotations?: Record<string, string> }[] }[];
  };
  return groups.flatMap(({ rules }) =>
    rules.flatMap((rule) => Object.values(rule.annotations ?? {})),
  );
}
