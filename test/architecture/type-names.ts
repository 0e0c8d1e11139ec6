import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceFile } from './source-files.js';

const PAGE = 'docs/internals/names-of-panes.md';
const DECLARED = /^export (?:abstract )?(?:class|interface|type) (\w*Panes?(?:[A-Z]\w*)?)\b/gm;

/** Types about panes that their page leaves out, and those that are gone. */
export function typeNameFaults(root: string, files: ReadonlyMap<string, SourceFile>): string[] {
  const page = readFileSync(join(root, PAGE), 'utf8');
  const named = new Set([...page.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name));
  const declared = new Set(
    [...files.values()].flatMap(({ text }) => [...text.matchAll(DECLARED)].map(([, name]) => name)),
  );
  return [
    ...[...declared]
      .filter((name) => !named.has(name))
      .map((name) => `${PAGE} leaves out the type ${name}`),
    ...[...named]
      .filter((name) => !declared.has(name))
      .map((name) => `${PAGE} names the type ${name}, which is gone`),
  ];
}
