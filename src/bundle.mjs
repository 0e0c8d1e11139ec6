// Builds the program: every module as JavaScript in dist, for the library and for tests, and in
// dist/program the command line and its threads, a script each with the chunks that they share.
// To find and load a thousand small files of packages would take a second of every start.
import { chmod, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const from = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));
const root = from('../');
const program = from('../dist/program/');
const common = /** @type {const} */ ({
  format: 'esm',
  platform: 'node',
  logLevel: 'warning',
});

const sources = (await readdir(from('./'), { recursive: true }))
  .filter((name) => name.endsWith('.ts') && !/^(page|events.assembly)/.test(name))
  .map(from);
await build({ ...common, entryPoints: sources, outbase: from('./'), outdir: from('../dist/') });

await rm(program, { recursive: true, force: true });
const { metafile } = await build({
  ...common,
  // All in one folder: a script finds its threads beside itself, whatever chunk it is in.
  entryPoints: {
    main: from('main.ts'),
    'night-thread': from('commands/export/night-thread.ts'),
    'tick-thread': from('commands/threads/tick-thread.ts'),
    'propensities-thread': from('commands/propensities/reading-thread.ts'),
  },
  bundle: true,
  splitting: true,
  // The first two read files of their own; the third is as large as the rest and seldom asked for.
  external: ['@fastify/swagger', '@fastify/swagger-ui', '@aws-sdk/client-s3'],
  // Packages in the older format ask for what Node brings by `require`.
  banner: {
    js: [
      "import { createRequire } from 'node:module';",
      'const require = createRequire(import.meta.url);',
    ].join('\n'),
  },
  chunkNames: '[name]-[hash]',
  // For the traces of faults, which name lines of the sources.
  sourcemap: 'linked',
  sourcesContent: false,
  metafile: true,
  absWorkingDir: root,
  outdir: program,
});
await writeFile(`${program}LICENSES.txt`, await licences(Object.keys(metafile.inputs)));

const main = from('../dist/main.js');
await writeFile(main, "#!/usr/bin/env node\nimport './program/main.js';\n");
await chmod(main, 0o755);

/**
 * What is bundled brings its licence along.
 *
 * @param {readonly string[]} inputs paths of files, of packages and others
 */
async function licences(inputs) {
  const folders = new Set(
    inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []),
  );
  const texts = [...folders].sort().map(async (folder) => {
    const name = folder.replace(/^.*node_modules\//, '');
    const file = (await readdir(`${root}${folder}`)).find((file) => /^licen[cs]e/i.test(file));
    const { version, license } = JSON.parse(
      await readFile(`${root}${folder}/package.json`, 'utf8'),
    );
    const text = file === undefined ? license : await readFile(`${root}${folder}/${file}`, 'utf8');
    return `${name} ${version}\n\n${text.trim()}\n`;
  });
  return (await Promise.all(texts)).join(`\n${'-'.repeat(80)}\n\n`);
}
