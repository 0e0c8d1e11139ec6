import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, expect, it } from 'vitest';

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
  'dist/main.js',
  'dist/index.js',
  'dist/index.d.ts',
  'dashboards/json/overview.json',
  'deploy/compose.yaml',
])('the package holds %s', (path) => {
  expect(paths).toContain(path);
});

it('holds every page that the README leads to, and the pictures of these pages', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
  const pages = [...readme.matchAll(/\]\((docs\/[\w-]+\.md)/g)].map(([, page]) => page);
  const pictures = [...readme.matchAll(/!\[[^\]]*\]\((docs\/[^)]+)\)/g)].map(([, path]) => path);
  expect(pages.length).toBeGreaterThan(12);
  expect(paths).toEqual(expect.arrayContaining([...pages, ...pictures]));
});

it('holds no sources, tests, maps to sources, nor tools for development', () => {
  const folders = /^(?:src|test|\.github|deploy\/(?:local|kafka|services))|\.map$|(?<!\.d)\.ts$/;
  expect(paths.filter((path) => folders.test(path))).toEqual([]);
});

it('can be found, and names nothing that is not there', () => {
  expect(manifest.keywords.length).toBeGreaterThan(4);
  const dots = [manifest.bin.unskew, manifest.exports['.'].default].map((path: string) =>
    path.replace(/^\.\//, ''),
  );
  expect(paths).toEqual(expect.arrayContaining(dots));
});
