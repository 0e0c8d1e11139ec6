// Builds what the package runs, with all of other packages that it needs, so that nothing is
// installed beside it: in dist/program the command line and its threads, a script each with the
// chunks that they share, in dist/library the library, in dist/console the console of the API.
import { chmod, copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { billOfMaterials, bundledPackages, licences } from './bundled.mjs';

const from = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const root = from('../');
const dist = from('../dist/');
const OF_OTHER_SCRIPTS = ['page', 'types'];
const common = /** @type {const} */ ({
  format: 'esm',
  platform: 'node',
  logLevel: 'warning',
  bundle: true,
  metafile: true,
  absWorkingDir: root,
});

await mkdir(dist, { recursive: true });
const left = (await readdir(dist)).filter((name) => !OF_OTHER_SCRIPTS.includes(name));
for (const name of left) {
  await rm(`${dist}${name}`, { recursive: true });
}
const { metafile: program } = await build({
  ...common,
  // All in one folder: a script finds its threads beside itself, whatever chunk it is in.
  entryPoints: {
    main: from('main.ts'),
    'night-thread': from('commands/export/night-thread.ts'),
    'tick-thread': from('commands/threads/tick-thread.ts'),
    'propensities-thread': from('commands/propensities/reading-thread.ts'),
  },
  splitting: true,
  // Packages in the older format ask for what Node brings by `require`.
  banner: {
    js: [
      "import { createRequire } from 'node:module';",
      'const require = createRequire(import.meta.url);',
    ].join('\n'),
  },
  chunkNames: '[name]-[hash]',
  // A command that is done at once spends much of its time on reading its own text.
  minifyWhitespace: true,
  // For the traces of faults, which name lines of the sources.
  sourcemap: 'linked',
  sourcesContent: false,
  outdir: `${dist}program`,
});
const { metafile: library } = await build({
  ...common,
  entryPoints: [`${root}src/index.ts`],
  outdir: `${dist}library`,
});

const swaggerUi = dirname(fileURLToPath(import.meta.resolve('@fastify/swagger-ui')));
await mkdir(`${dist}console`, { recursive: true });
for (const file of [
  'favicon-16x16.png',
  'favicon-32x32.png',
  'index.css',
  'swagger-ui-bundle.js',
  'swagger-ui-standalone-preset.js',
  'swagger-ui.css',
]) {
  await copyFile(`${swaggerUi}/static/${file}`, `${dist}console/${file}`);
}

const packages = await bundledPackages(root, [
  ...Object.keys(program.inputs),
  ...Object.keys(library.inputs),
  // Of the page.
  'node_modules/uplot/',
]);
packages.push(await bundledSwaggerUi());
await writeFile(`${dist}LICENSES.txt`, licences(packages));
await writeFile(`${dist}unskew.cdx.json`, billOfMaterials(packages));

await writeFile(`${dist}main.js`, "#!/usr/bin/env node\nimport './program/main.js';\n");
await chmod(`${dist}main.js`, 0o755);

/** The console, which the package that serves it has as files alone, without their licences. */
async function bundledSwaggerUi() {
  const { devDependencies } = JSON.parse(await readFile(`${swaggerUi}/package.json`, 'utf8'));
  const version = devDependencies['swagger-ui-dist'];
  const [title, ...lines] = (await readFile(from('outputs/http/swagger-ui.txt'), 'utf8')).split(
    '\n',
  );
  if (title !== `swagger-ui ${version}`) {
    throw new Error(`src/outputs/http/swagger-ui.txt has the licences of ${title}, not ${version}`);
  }
  return {
    name: 'swagger-ui-dist',
    version,
    license: 'Apache-2.0',
    text: lines.join('\n').trim(),
  };
}
