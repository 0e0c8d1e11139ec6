// Compiles the scanner of lines, and writes its code where the program loads it from: as text, so
// that sources, what is built of them and bundles have it alike. `npm run scanner` runs it.
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { main } from 'assemblyscript/asc';

const CODE = fileURLToPath(new URL('./events/scanner-code.ts', import.meta.url));
const SOURCE = fileURLToPath(new URL('./events/assembly/scanner.ts', import.meta.url));
const OPTIONS = [
  '-O3',
  '--runtime',
  'stub',
  '--noAssert',
  '--enable',
  'simd',
  '-o',
  'scanner.wasm',
];

/** What `scanner-code.ts` has to be. */
export async function scannerCode() {
  const source = await readFile(SOURCE, 'utf8');
  let code = '';
  const { error, stderr } = await main(['scanner.ts', ...OPTIONS], {
    readFile: async (name) => (name === 'scanner.ts' ? source : null),
    writeFile: (_, bytes) => {
      code = Buffer.from(bytes).toString('base64');
    },
  });
  if (error) throw new Error(`${stderr}`, { cause: error });
  return [
    '/**',
    ' * What `npm run scanner` makes of `assembly/scanner.ts`, in base64. SHA-256 of that source:',
    ` * ${createHash('sha256').update(source).digest('hex')}`,
    ' */',
    'export const SCANNER_CODE =',
    `  '${code}';`,
    '',
  ].join('\n');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeFile(CODE, await scannerCode());
