import { execFile } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeAtNight } from '../support/at-night.js';
import { bucketServer } from '../support/bucket-server.js';
import { nodeOfRegistry } from '../support/node-of-registry.js';
import { environment, RunningService, unskew } from '../support/program.js';

/** What a user has who installs the package that `npm pack` makes of a fresh checkout. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const NOT_IN_A_CHECKOUT = ['.cache', '.git', 'dist', 'node_modules', 'soak'];
const MOST_BYTES = 25_000_000;
const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

const USE = `
import { concentration, exponentTest, fitGamma, type ModelSummary } from 'unskew';

const gamma: number = fitGamma(Float64Array.of(1, 2, 4), Float64Array.of(1, 4, 16), 3).ols.gamma;
const coverage: number = concentration(Float64Array.of(1, 1, 2), 3, 4).coverage;
export const deviationOf = (...known: Parameters<typeof exponentTest>): number =>
  exponentTest(...known).deviation;
export const usersOf = (summary: ModelSummary): number => summary.users;
// @ts-expect-error: it is a number
export const modelOf = (summary: ModelSummary): string => summary.users;
// @ts-expect-error: nothing is changed
export const change = (summary: ModelSummary) => { summary.users = 1; };
declare const console: { log(...values: unknown[]): void };
console.log(gamma, coverage);
`;
const COMPILER = {
  strict: true,
  skipLibCheck: false,
  noEmit: false,
  module: 'nodenext',
  target: 'es2022',
  lib: ['es2022'],
  types: [],
};

let folder: string;
let tarball: string;

interface Run {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The folder of node, npm and npx; those of this process by default. */
  readonly path?: string | undefined;
}

/** As in a shell of a user without settings of npm; offline, since nothing is to be fetched. */
async function said({ command, args, cwd, path }: Run): Promise<string> {
  const inherited = Object.entries(environment()).filter(([name]) => !/^npm_/i.test(name));
  const paths = [...(path === undefined ? [] : [path]), process.env['PATH']];
  const { stdout, stderr } = await promisify(execFile)(command, args, {
    cwd,
    env: {
      ...Object.fromEntries(inherited),
      PATH: paths.join(delimiter),
      npm_config_userconfig: join(folder, 'npmrc'),
      npm_config_cache: join(folder, 'cache'),
      npm_config_offline: 'true',
    },
  });
  return stdout + stderr;
}

/** Installs the package into an empty folder, and gives the folder with what npm said. */
async function installed(path?: string) {
  const cwd = mkdtempSync(join(folder, 'user-'));
  const output = await said({
    command: 'npm',
    args: ['install', tarball],
    cwd,
    path,
  });
  return { cwd, output };
}

function bytesBelow(path: string): number {
  return readdirSync(path, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(path, name)))
    .filter((stat) => stat.isFile())
    .reduce((sum, { size }) => sum + size, 0);
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-package-'));
  writeFileSync(join(folder, 'npmrc'), '');
  const checkout = join(folder, 'checkout');
  mkdirSync(checkout);
  for (const name of readdirSync(ROOT).filter((name) => !NOT_IN_A_CHECKOUT.includes(name))) {
    cpSync(join(ROOT, name), join(checkout, name), { recursive: true });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(checkout, 'node_modules'));
  await said({
    command: 'npm',
    args: ['pack', '--pack-destination', folder],
    cwd: checkout,
  });
  tarball = join(folder, `unskew-${version}.tgz`);
});

afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

describe('the package made by npm pack', () => {
  let cwd: string;
  let output: string;
  beforeAll(async () => {
    ({ cwd, output } = await installed());
  });
  const ofPackage = (path: string) => join(cwd, 'node_modules/unskew', path);

  it('installs without a warning, as the only package, in at most 25 MB', () => {
    expect(output).toMatch(/added 1 package\b/);
    expect(output).not.toMatch(/warn|EBADENGINE/i);
    const lock = readFileSync(join(cwd, 'node_modules/.package-lock.json'), 'utf8');
    expect(Object.keys(JSON.parse(lock).packages)).toEqual(['node_modules/unskew']);
    expect(bytesBelow(join(cwd, 'node_modules'))).toBeLessThan(MOST_BYTES);
  });

  it('evaluates files like the command of a checkout', async () => {
    const run = (...args: string[]) => said({ command: 'npx', args: ['unskew', ...args], cwd });
    expect(await run('--version')).toBe(`${version}\n`);
    await run('simulate', '--out', 'sim', '--users', '50');
    const files = ['train', 'events'].map((name) => join(cwd, `sim/${name}.ndjson`));
    const evaluate = ['evaluate', '--train', files[0]!, '--events', files[1]!];
    const { stdout, stderr } = await unskew(evaluate);
    expect(stdout).toContain('recall@10');
    expect(await run(...evaluate)).toBe(stdout + stderr);
  });

  it('writes to a bucket', async () => {
    const bucket = await bucketServer('sets');
    try {
      const events = join(cwd, 'sim/train.ndjson');
      const { code, stdout } = await unskew(
        ['export', '--events', events, '--out', 's3://sets/one'],
        {
          AWS_ACCESS_KEY_ID: 'S3RVER',
          AWS_SECRET_ACCESS_KEY: 'S3RVER',
          UNSKEW_EXPORT_S3: JSON.stringify({ endpoint: bucket.endpoint }),
        },
        ofPackage('bin/unskew.js'),
      );
      expect(stdout).toContain('in s3://sets/one');
      expect(code).toBe(0);
    } finally {
      await bucket.close();
    }
  });

  it('serves the page, the API console and every file that they load', async () => {
    const args = ['demo', '--plain', '--port', '0'];
    const service = await RunningService.start(args, {}, ofPackage('bin/unskew.js'));
    try {
      for (const page of ['/', '/docs/']) {
        const { body } = await service.get(page);
        const files = [...body.matchAll(/(?:src|href)="([^"#]+\.\w+)"/g)].map(([, path]) => path!);
        expect(files.length, page).toBeGreaterThan(2);
        for (const file of files) {
          const { pathname } = new URL(file, `${service.address}${page}`);
          expect((await service.get(pathname)).status, pathname).toBe(200);
        }
      }
    } finally {
      await service.stop();
    }
  });

  it('works as a typed library without any other package', async () => {
    writeFileSync(join(cwd, 'use.mts'), USE);
    writeFileSync(
      join(cwd, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: COMPILER, files: ['use.mts'] }),
    );
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc');
    await said({
      command: process.execPath,
      args: [compiler, '-p', cwd],
      cwd,
    });
    const output = await said({
      command: process.execPath,
      args: ['use.mjs'],
      cwd,
    });
    expect(output).toBe('2 0.75\n');
  });

  it('lists every bundled package with its license', () => {
    const licences = readFileSync(ofPackage('dist/LICENSES.txt'), 'utf8');
    const { components } = JSON.parse(readFileSync(ofPackage('dist/unskew.cdx.json'), 'utf8'));
    const names: string[] = components.map(({ name }: { name: string }) => name);
    expect(names).toEqual(
      expect.arrayContaining(['@aws-sdk/client-s3', 'fastify', 'swagger-ui-dist', 'uplot']),
    );
    for (const { name, version } of components) {
      expect(licences).toContain(`${name} ${version}\n\n`);
    }
  });
});

describe('a checkout that has not been built', () => {
  it('says how to build it when npx unskew is run', async () => {
    rmSync(join(folder, 'checkout/dist'), { recursive: true });
    const run = { command: 'npx', args: ['unskew', '--version'], cwd: join(folder, 'checkout') };
    await expect(said(run)).rejects.toMatchObject({
      code: 1,
      stderr: 'unskew: this checkout is not built yet: run npm ci\n',
    });
  });
});

describeAtNight('on every supported version of Node.js', () => {
  it.each([20, 22, 24])('the package installs and runs on Node %i', async (major) => {
    const path = nodeOfRegistry(mkdtempSync(join(folder, 'node-')), major);
    const { cwd, output } = await installed(path);
    expect(output).toMatch(/added 1 package\b/);
    expect(output).not.toMatch(/warn|EBADENGINE/i);
    const run = (command: string, ...args: string[]) =>
      said({
        command,
        args,
        cwd,
        path,
      });
    expect(await run('node', '--version')).toMatch(new RegExp(`^v${major}\\.`));
    expect(await run('npx', 'unskew', '--version')).toBe(`${version}\n`);
    const library = "import('unskew').then(({ dcgGain }) => console.log(typeof dcgGain))";
    expect(await run('node', '--eval', library)).toBe('function\n');
  });
});
