import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';
import { linksOf } from '../../architecture/links.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

let paths: string[];
beforeAll(() => {
  const { stdout, stderr } = spawnSync('npm', ['pack', '--dry-run', '--json', '--ignore-scripts'], {
    cwd: ROOT,
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  paths = JSON.parse(stdout)[0].files.map(({ path }: { path: string }) => path);
}, 120_000);

it.each([
  'bin/unskew.js',
  'dist/main.js',
  'dist/library/index.js',
  'dist/types/index.d.ts',
  'dist/console/swagger-ui.css',
  'dist/LICENSES.txt',
  'dist/unskew.cdx.json',
  'dashboards/json/overview.json',
  'deploy/helm/unskew/Chart.yaml',
])('the package holds %s', (path) => {
  expect(paths).toContain(path);
});

it('the package holds every file that its documents link to', () => {
  const documents = paths.filter((path) => path.endsWith('.md'));
  const dead = documents.flatMap((document) =>
    linksOf(ROOT, document)
      .filter(({ file }) => !paths.some((path) => path === file || path.startsWith(`${file}/`)))
      .map(({ link }) => `${document}: ${link}`),
  );
  expect(documents.length).toBeGreaterThan(20);
  expect(dead).toEqual([]);
});

it('the deployment files in the package build no image if the Dockerfile is missing', () => {
  const files = paths.filter((path) => /^deploy\/.*\.ya?ml$/.test(path));
  const building = files.filter((path) =>
    /^\s*build:/m.test(readFileSync(join(ROOT, path), 'utf8')),
  );
  expect(files.length).toBeGreaterThan(10);
  if (!paths.includes('Dockerfile')) expect(building).toEqual([]);
});

it('the package holds every page and picture that the README links to', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const pages = [...readme.matchAll(/\]\((docs\/[\w-]+\.md)/g)].map(([, page]) => page);
  const pictures = [...readme.matchAll(/!\[[^\]]*\]\((docs\/[^)]+)\)/g)].map(([, path]) => path);
  expect(pages.length).toBeGreaterThan(12);
  expect(paths).toEqual(expect.arrayContaining([...pages, ...pictures]));
});

it('the package holds no sources, tests, source maps or development tools', () => {
  const folders = /^(?:src|test|\.github|deploy\/(?:local|kafka|services))|\.map$|(?<!\.d)\.ts$/;
  expect(paths.filter((path) => folders.test(path))).toEqual([]);
});

it('the package has keywords, and holds the files that its manifest names', () => {
  expect(manifest.keywords.length).toBeGreaterThan(4);
  const { types, default: library } = manifest.exports['.'];
  const dots = [manifest.bin.unskew, types, library].map((path: string) =>
    path.replace(/^\.\//, ''),
  );
  expect(paths).toEqual(expect.arrayContaining(dots));
});
