import type { SourceFile } from './source-files.js';

/** The closed set of the README; written out here, so that the count does not read what it counts. */
const NAMES = 'naive ips snips gs full reg skew wtd wtd_h wtd_ipf ure dr'.split(' ');
const COMMENTS = /\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm;
const LITERAL = new RegExp(`(['"\`])(?:${NAMES.join('|')})\\1`);

/** Files that spell the name of an estimator as a literal. */
export function estimatorPlaces(files: ReadonlyMap<string, SourceFile>): string[] {
  return [...files.values()]
    .filter(({ text }) => LITERAL.test(text.replace(COMMENTS, '')))
    .map(({ path }) => path);
}
