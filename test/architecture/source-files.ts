import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** A file of the program: its path below `src`, with slashes, and its text. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  /** Files below `src` that it imports, for types or for values. */
  readonly imports: readonly string[];
}

const IMPORTED = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g;

/** All of `src` below a folder, by path. */
export function readSource(root: string): ReadonlyMap<string, SourceFile> {
  const src = join(root, 'src');
  const paths = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((path) =>
    path.endsWith('.ts'),
  );
  const known = new Set(paths);
  return new Map(
    paths.sort().map((path) => {
      const text = readFileSync(join(src, path), 'utf8');
      const imports = [...text.matchAll(IMPORTED)]
        .map(([, specifier]) => normalize(join(dirname(path), specifier)).replace(/\.js$/, '.ts'))
        .filter((target) => known.has(target));
      return [path, { path, text, imports: [...new Set(imports)] }];
    }),
  );
}
