import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';

const ROOT = new URL('../../../', import.meta.url);

function sources(folder: URL): string {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(join(folder.pathname, name), 'utf8'))
    .join('\n')
    .replace(/\$\{[^}]*\}/g, '…');
}

/** What is in code quotes and reads like a sentence: no command, no query, no message of others. */
function quoted(document: string): string[] {
  const text = readFileSync(new URL(document, ROOT), 'utf8');
  return [...text.matchAll(/`([^`\n]+)`/g)]
    .map(([, inside]) => inside!)
    .filter((inside) => /^\p{L}+( [\p{L}…]+){3,}/u.test(inside))
    .filter((inside) => !/^(unskew|npm|npx|curl|CONFIG|OOM) /.test(inside));
}

it('the messages quoted on the operator pages exist in the source', () => {
  const written = sources(new URL('src/', ROOT));
  const all = ['docs/runbook.md', 'docs/troubleshooting.md', 'docs/operate.md'].flatMap(quoted);
  expect(all.length).toBeGreaterThan(3);
  expect(all.filter((message) => !written.includes(message))).toEqual([]);
});
