import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { proseOf } from './prose.js';

const FOLDERS = ['src', 'dashboards', 'deploy', 'docs', 'test'];
/** Written by hand; `dashboards/json` is written from its source. */
const KINDS = new Set(['.ts', '.mts', '.mjs', '.html', '.css', '.yml', '.yaml', '.tpl', '.md']);

interface Term {
  readonly pattern: RegExp;
  readonly instead: string;
}

/** Words of the list in `.textlintrc.json` in comments, messages, alerts, the page and names of tests. */
export function textFaults(root: string): string[] {
  const terms = readTerms(root);
  // Few files have any of the words, in code or in prose: only these are parsed.
  const any = new RegExp(terms.map(({ pattern }) => pattern.source).join('|'), 'i');
  return textFiles(root).flatMap((path) => {
    const text = readFileSync(join(root, path), 'utf8');
    return any.test(text) ? faultsOf(path, text, terms) : [];
  });
}

function readTerms(root: string): Term[] {
  const { rules } = JSON.parse(readFileSync(join(root, '.textlintrc.json'), 'utf8')) as {
    rules: { terminology: { terms: [pattern: string, instead: string][] } };
  };
  return rules.terminology.terms.map(([pattern, instead]) => {
    // A phrase may go on after a line break, behind the mark of a comment.
    const phrase = pattern.replaceAll(' ', '(?:\\s|//|\\*|#)+');
    return { pattern: new RegExp(`\\b(?:${phrase})\\b`, 'gi'), instead };
  });
}

function textFiles(root: string): string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((path) => KINDS.has(extname(path)))
      .map((path) => join(folder, path)),
  ).sort();
}

function faultsOf(path: string, text: string, terms: readonly Term[]): string[] {
  const prose = proseOf(path, text);
  return terms.flatMap(({ pattern, instead }) =>
    [...prose.matchAll(pattern)].map(({ 0: found, index }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${path}:${line} says "${found.replace(/\s+/g, ' ')}"; say "${instead}"`;
    }),
  );
}
