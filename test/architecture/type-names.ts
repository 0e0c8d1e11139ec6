import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SourceFile } from './source-files.js';

const SECTION = /^## Names of types\n([\s\S]*?)^## /m;
const DECLARED = /^export (?:abstract )?(?:class|interface|type) (\w*Panes?(?:[A-Z]\w*)?)\b/gm;

/** Types about panes that the section of ARCHITECTURE.md leaves out, and those that are gone. */
export function typeNameFaults(root: string, files: ReadonlyMap<string, SourceFile>): string[] {
  const section = SECTION.exec(readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8'))?.[1] ?? '';
  const told = new Set([...section.matchAll(/`([A-Z]\w+)`/g)].map(([, name]) => name));
  const declared = new Set(
    [...files.values()].flatMap(({ text }) => [...text.matchAll(DECLARED)].map(([, name]) => name)),
  );
  return [
    ...[...declared]
      .filter((name) => !told.has(name))
      .map((name) => `ARCHITECTURE.md leaves out the type ${name}`),
    ...[...told]
      .filter((name) => !declared.has(name))
      .map((name) => `ARCHITECTURE.md names the type ${name}, which is gone`),
  ];
}
