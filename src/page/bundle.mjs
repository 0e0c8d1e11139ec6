// Builds the page into dist/page: one script, one style sheet, each compressed beside itself.
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { build } from 'esbuild';

const source = new URL('./', import.meta.url);
const target = new URL('../../dist/page/', import.meta.url);

// What is bundled brings its licence along.
const licence = await readFile(new URL('../LICENSE', import.meta.resolve('uplot')), 'utf8');

await rm(target, { recursive: true, force: true });
await mkdir(target, { recursive: true });
await build({
  entryPoints: { page: fileURLToPath(new URL('main.ts', source)) },
  bundle: true,
  minify: true,
  format: 'esm',
  target: ['chrome116', 'firefox124', 'safari17.4'],
  footer: { js: `/*! uPlot\n${licence}*/` },
  outdir: fileURLToPath(target),
  logLevel: 'warning',
});
await build({
  entryPoints: { page: fileURLToPath(new URL('page.css', source)) },
  bundle: true,
  minify: true,
  outdir: fileURLToPath(target),
  logLevel: 'warning',
});
const icons = ['icon.svg', 'icon-alert.svg'];
for (const name of ['index.html', ...icons]) {
  await writeFile(new URL(name, target), await readFile(new URL(name, source)));
}
for (const name of ['index.html', ...icons, 'page.js', 'page.css']) {
  const bytes = await readFile(new URL(name, target));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  await writeFile(
    new URL(`${name}.br`, target),
    await promisify(brotliCompress)(bytes, { params }),
  );
  await writeFile(new URL(`${name}.gz`, target), await promisify(gzip)(bytes, { level: 9 }));
}
