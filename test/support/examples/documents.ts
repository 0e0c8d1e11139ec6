import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A fenced block of a document. */
export interface Block {
  /** The document, and the line where the block begins. */
  readonly place: string;
  readonly language: string;
  readonly text: string;
}

/** Code within a line of a document. */
export interface Span {
  readonly place: string;
  readonly text: string;
}

const FENCE = /^( *)(```+)(\S*)[^\n]*\n([\s\S]*?)^\1\2$/gm;
const SPAN = /(?<!`)`([^`\n]+)`(?!`)/g;
/** They tell what was; their commands may be gone. */
const PAST = new Set(['CHANGELOG.md']);

/** Documents for people, from the root. */
export function documents(root: string): string[] {
  const top = readdirSync(root);
  const below = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
  return [...top, ...below.map((name) => join('docs', name))]
    .filter((name) => name.endsWith('.md') && !PAST.has(name))
    .sort();
}

export function blocksOf(root: string): Block[] {
  return documents(root).flatMap((file) => blocksIn(file, readFileSync(join(root, file), 'utf8')));
}

export function blocksIn(file: string, text: string): Block[] {
  return [...text.matchAll(FENCE)].map(({ 1: indent, 3: language, 4: inside, index }) => {
    const flush = inside.replaceAll(new RegExp(`^${indent}`, 'gm'), '');
    return { place: `${file}:${lineAt(text, index)}`, language, text: flush };
  });
}

export function spansOf(root: string): Span[] {
  return documents(root).flatMap((file) => {
    const text = readFileSync(join(root, file), 'utf8').replace(FENCE, (block) =>
      block.replace(/[^\n]/g, ' '),
    );
    return [...text.matchAll(SPAN)].map(({ 1: span, index }) => {
      return { place: `${file}:${lineAt(text, index)}`, text: span.replaceAll('\\|', '|') };
    });
  });
}

function lineAt(text: string, index: number): number {
  return text.slice(0, index).split('\n').length;
}
