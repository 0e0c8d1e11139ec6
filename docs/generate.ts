import { readFileSync, writeFileSync } from 'node:fs';
import { KEYS } from '../src/config.js';
import { configurationPage, keyFaults } from './configuration-page.js';
import { memoryPage } from './memory-page.js';
import { sizingPage } from './sizing-tables.js';

/**
 * `npm run docs`: writes the pages of the configuration and of the memory, and tables on sizing. With `--check` it writes
 * nothing and ends with 1 where a page is not what the code says, or where a key does not say enough
 * of itself.
 */
const faults = keyFaults(KEYS);
for (const [name, page] of [
  ['configuration.md', configurationPage(KEYS)],
  ['memory.md', memoryPage()],
  ['sizing.md', sizingPage(readFileSync(new URL('sizing.md', import.meta.url), 'utf8'))],
] as const) {
  const file = new URL(name, import.meta.url);
  if (!process.argv.includes('--check')) writeFileSync(file, page);
  else if (readFileSync(file, 'utf8') !== page) {
    faults.push(`docs/${name} is not what the code says: run npm run docs`);
  }
}

for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
