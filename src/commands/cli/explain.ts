import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageFolder } from '../../adapters/files/package-folder.js';
import { wrapped } from '../../outputs/text/terminal.js';
import { TERMS } from '../../rows/terms.js';

/** Documentation of one code, or of several codes that are explained together. */
export interface CodePage {
  readonly codes: readonly string[];
  readonly text: string;
}

/** Pages of all codes, in the order of `docs/codes.md`, which the package and the image contain. */
export function codePages(): CodePage[] {
  const document = readFileSync(join(packageFolder(), 'docs/codes.md'), 'utf8');
  return document
    .split(/^(?=##)/m)
    .filter((section) => section.startsWith('### '))
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      const codes = [...heading.matchAll(/`([^`]+)`/g)].map(([, code]) => code!);
      return {
        codes,
        text: lines.join('\n').trim(),
      };
    });
}

/** Runbook section of an alert; undefined for an unknown name. */
export function alertPage(name: string): CodePage | undefined {
  const runbook = readFileSync(join(packageFolder(), 'docs/runbook.md'), 'utf8');
  const section = runbook.split(/^## /m).find((text) => text.startsWith(`${name}\n`));
  if (section === undefined) return undefined;
  return {
    codes: [name],
    text: section.slice(name.length).trim(),
  };
}

/** Glossary entry of a term; undefined for an unknown term. */
export function termPage(name: string): CodePage | undefined {
  const term = TERMS.find(({ names }) => names.includes(name));
  return (
    term && {
      codes: term.names,
      text: term.meaning,
    }
  );
}

/** Format a page for a terminal, starting with the requested code. */
export function pageText(code: string, { codes, text }: CodePage): string {
  const others = codes.filter((other) => other !== code);
  const beside = others.length === 0 ? [] : ['', ...wrapped(`See also: ${others.join(', ')}.`)];
  const lines = plain(text).split('\n').flatMap(wrapped);
  return `${[code, '', ...lines, ...beside].join('\n')}\n`;
}

/** Convert Markdown to plain text; links become the name of their page. */
function plain(text: string): string {
  return text
    .replace(/\[([^\]]+)\]\(([\w-]+\.md)[^)]*\)/g, '$1 (docs/$2)')
    .replaceAll('**', '')
    .replaceAll('`', '');
}
