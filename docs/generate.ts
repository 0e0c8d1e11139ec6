import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { KEYS } from '../src/config.js';
import { savedTables } from '../test/reproduce/saved.js';
import { configurationPage, keyFaults } from './configuration-page.js';
import { reproducedPages } from './reproduced-page.js';
import { sizingPage } from './sizing-tables.js';

/**
 * `npm run docs`: writes the page of the configuration, the tables on sizing, and the pages of what is
 * reproduced with their pictures. With `--check` it writes nothing and ends with 1 where a page is not
 * what the code says, or where a key does not say enough of itself.
 */
const faults = keyFaults(KEYS);
const isCheck = process.argv.includes('--check');
const reproduced = reproducedPages(savedTables());
const pictures = new URL('reproduced/', import.meta.url);
mkdirSync(pictures, { recursive: true });
for (const name of readdirSync(pictures)) {
  if (reproduced.pictures.has(name)) continue;
  if (isCheck) faults.push(`docs/reproduced/${name} is of nothing: run npm run docs`);
  else rmSync(new URL(name, pictures));
}
for (const [name, page] of [
  ['configuration.md', configurationPage(KEYS)],
  ['sizing.md', sizingPage(readFileSync(new URL('sizing.md', import.meta.url), 'utf8'))],
  ['reproduced.md', reproduced.page],
  ...Array.from(reproduced.pictures, ([name, svg]) => [`reproduced/${name}`, svg] as const),
] as const) {
  const file = new URL(name, import.meta.url);
  if (!isCheck) writeFileSync(file, page);
  else if (!existsSync(file) || readFileSync(file, 'utf8') !== page) {
    faults.push(`docs/${name} is not what the code says: run npm run docs`);
  }
}

for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
