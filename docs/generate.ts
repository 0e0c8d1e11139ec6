import { readFileSync, writeFileSync } from 'node:fs';
import { KEYS } from '../src/config.js';
import { configurationPage, keyFaults } from './configuration-page.js';

/**
 * `npm run docs`: writes the page of the configuration. With `--check` it writes nothing and ends with
 * 1 where the page is not what the keys say, or where a key does not say enough of itself.
 */
const file = new URL('configuration.md', import.meta.url);
const faults = keyFaults(KEYS);
const page = configurationPage(KEYS);

if (process.argv.includes('--check')) {
  if (readFileSync(file, 'utf8') !== page) {
    faults.push('docs/configuration.md is not what the keys say: run npm run docs');
  }
} else writeFileSync(file, page);

for (const fault of faults) process.stderr.write(`${fault}\n`);
if (faults.length > 0) process.exitCode = 1;
