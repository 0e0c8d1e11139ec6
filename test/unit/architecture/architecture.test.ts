import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { cycles } from '../../architecture/cycles.js';
import { documentFaults } from '../../architecture/documents.js';
import { estimatorPlaces } from '../../architecture/estimator-places.js';
import { linkFaults } from '../../architecture/links.js';
import { codeSize, importsOfFeatures, sizeByRoom } from '../../architecture/measures.js';
import { documentedPaths, pathFaults } from '../../architecture/paths.js';
import { unreachedFaults, type Waiting } from '../../architecture/reachable.js';
import { readSource } from '../../architecture/source-files.js';
import { textFaults } from '../../architecture/texts.js';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'house-'));
  mkdirSync(join(root, 'docs'));
  write({ 'src/index.ts': '' });
});

afterEach(() => rmSync(root, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}

describe('import cycles', () => {
  it('are found even if only types are imported', () => {
    write({
      'src/a.ts': "import type { B } from './b.js';\nexport interface A { b: B }\n",
      'src/b.ts': "import type { A } from './a.js';\nexport interface B { a: A }\n",
    });
    expect(cycles(readSource(root))).toEqual([['a.ts', 'b.ts']]);
  });

  it('are not reported if two files import a third', () => {
    write({
      'src/a.ts': "import type { C } from './c.js';\n",
      'src/b.ts': "import { c } from './c.js';\nimport './a.js';\n",
      'src/c.ts': 'export interface C {}\nexport const c = 1;\n',
    });
    expect(cycles(readSource(root))).toEqual([]);
  });

  it('of types are rejected by the dependency-cruiser rules too', () => {
    write({
      'src/state/a.ts': "import type { B } from './b.js';\nexport interface A { b: B }\n",
      'src/state/b.ts': "import type { A } from './a.js';\nexport interface B { a: A }\n",
      'tsconfig.json': '{"compilerOptions":{"module":"nodenext","moduleResolution":"nodenext"}}',
    });
    const cruise = join(process.cwd(), 'node_modules/.bin/depcruise');
    const config = join(process.cwd(), '.dependency-cruiser.cjs');
    const { status, stdout } = spawnSync(cruise, ['src', '--config', config], {
      cwd: root,
      encoding: 'utf8',
    });
    expect(stdout).toContain('no-cycles');
    expect(status).not.toBe(0);
  });
});

describe('the code size', () => {
  it('leaves out comments and blank lines', () => {
    const text = '/** A. */\nconst a = 1; // one\n\n// two\nconst b = `x\ny`;\n';
    expect(codeSize(text)).toEqual({ lines: 3, tokens: 13, spreadLiterals: 0 });
  });

  it('counts literals that are spread into literals', () => {
    const text = 'const a = { ...{ b, c }, ...d };\nf(...[1, 2], ...([3] as const), ...e);\n';
    expect(codeSize(text).spreadLiterals).toBe(3);
  });

  it('is summed by folder', () => {
    write({
      'src/state/a.ts': 'const a = 1;\n',
      'src/state/b.ts': 'const b = 2;\nconst c = 3;\n',
      'src/events/d.ts': 'const d = 4;\n',
    });
    const sizes = sizeByRoom(readSource(root));
    expect([...sizes].map(([room, { lines, tokens }]) => [room, lines, tokens])).toEqual([
      ['.', 0, 0],
      ['events', 1, 5],
      ['state', 3, 15],
    ]);
  });
});

it('imports of features are reported in the core, but not in the lists of features', () => {
  write({
    'src/features/drift/work.ts': 'export const w = 1;\n',
    'src/features/works.ts': "import { w } from './drift/work.js';\n",
    'src/state/a.ts': "import { w } from '../features/drift/work.js';\n",
    'src/state/b.ts': "import '../features/works.js';\n",
  });
  expect(importsOfFeatures(readSource(root))).toEqual(['state/a.ts → features/drift/work.ts']);
});

describe('file names in documents', () => {
  it('are reported if the file does not exist', () => {
    write({
      'src/state/lists.ts': '',
      'ARCHITECTURE.md':
        'See `state/lists`, `state/list.ts`, `src/state/lists.ts`, [notes](docs/no.md).',
    });
    expect(documentFaults(root)).toEqual([
      'ARCHITECTURE.md names state/list.ts, which is not there',
      'ARCHITECTURE.md names docs/no.md, which is not there',
    ]);
  });

  it('are not confused with routes, packages and patterns', () => {
    write({
      'src/state/lists.ts': '',
      'README.md': 'GET `state/history`, the package `@scope/name`, `state/<name>.ts`.',
    });
    expect(documentFaults(root)).toEqual([]);
  });
});

describe('words on the terminology list', () => {
  const list = {
    rules: {
      terminology: {
        terms: [
          ['glimbs?', 'fix'],
          ['is quothed(?! apart)', 'is notified'],
          ['stands of', 'instead of'],
        ],
      },
    },
  };
  const faultsOf = (files: Readonly<Record<string, string>>) => {
    for (const folder of ['dashboards', 'deploy', 'test']) mkdirSync(join(root, folder));
    write({ ...files, '.textlintrc.json': JSON.stringify(list) });
    return textFaults(root);
  };

  it('are found in comments, texts, alerts and test names, with the line', () => {
    const template = `\`\${n} is quothed to Glimb \${n}\``;
    expect(
      faultsOf({
        'src/a.ts': "/** It glimbs. */\nexport const a = 'b'; // glimb it\n",
        'src/page/b.ts': `export const c = (n: number) =>\n  ${template};\n`,
        'dashboards/c.ts': "export const d = 'glimbs it';\n",
        'deploy/local/d.mjs': '/* glimb */\n',
        'deploy/prometheus/alerts.yml': 'a: b\nsummary: Somebody glimbs it\n',
        'test/unit/e.test.ts': "it('glimbs what is broken', () => {});\n",
        'test/README.md': 'It glimbs.\n',
      }),
    ).toEqual([
      'dashboards/c.ts:1 says "glimbs"; say "fix"',
      'deploy/local/d.mjs:1 says "glimb"; say "fix"',
      'deploy/prometheus/alerts.yml:2 says "glimbs"; say "fix"',
      'src/a.ts:1 says "glimbs"; say "fix"',
      'src/a.ts:2 says "glimb"; say "fix"',
      'src/page/b.ts:2 says "Glimb"; say "fix"',
      'src/page/b.ts:2 says "is quothed"; say "is notified"',
      'test/README.md:1 says "glimbs"; say "fix"',
      'test/unit/e.test.ts:1 says "glimbs"; say "fix"',
    ]);
  });

  it('are found if a phrase spans two lines of a comment', () => {
    expect(
      faultsOf({
        'src/a.ts': '/**\n * It stands\n * of it.\n */\n// It stands\n  // of it.\n',
        'deploy/b.yml': '# It stands\n# of it.\n',
      }),
    ).toEqual([
      'deploy/b.yml:1 says "stands of"; say "instead of"',
      'src/a.ts:2 says "stands of"; say "instead of"',
      'src/a.ts:5 says "stands of"; say "instead of"',
    ]);
  });

  it('are allowed as identifiers and as parts of other words and phrases', () => {
    expect(
      faultsOf({
        'src/a.ts': [
          '/** @param glimb that is quothed apart, see `glimbs`; englimbed */',
          "export const glimb = (glimbs: string) => glimbs === 'glimb';",
          'export const stands = /a of glimbs/;',
          "export const of = 'stands'; export const b = 'of it';",
        ].join('\n'),
      }),
    ).toEqual([]);
  });
});

describe('links', () => {
  it('are reported if their target is missing, as are pages that nothing links to', () => {
    write({
      'README.md': '# A\n\n[1](docs/a.md#two-words) [2](docs/a.md#gone) [3](#a) [4](docs/no.md)\n',
      'docs/a.md':
        '## `Two` words!\n\n```sh\n# gone\n```\n[back](../README.md#b) [x](https://x.y)\n',
      'docs/lost.md': '[itself](lost.md)\n',
    });
    expect(linkFaults(root)).toEqual([
      'README.md links to docs/a.md#gone, but docs/a.md has no such heading',
      'README.md links to docs/no.md, which is not there',
      'docs/a.md links to ../README.md#b, but README.md has no such heading',
      'no link leads from README.md to docs/lost.md',
    ]);
  });
});

describe('documented code paths', () => {
  const title = 'From here to there';
  const files = {
    'src/a.ts': "import { B } from './b.js';\nexport function start() { new B().go(); }\n",
    'src/b.ts': "import { c } from './c.js';\nexport class B {\n  go() { c(); }\n}\n",
    'src/c.ts': 'export const c = () => 1;\nexport const lost = 2;\n',
  };
  const lines = (...stations: string[]) =>
    `### ${title}\n\n${stations.map((station, n) => `${n + 1}. ${station}`).join('\n')}\n`;
  const faultsOf = (document: string) => {
    write({ ...files, 'ARCHITECTURE.md': document });
    const [path] = documentedPaths(join(root, 'ARCHITECTURE.md'));
    return { opened: path.opened, faults: pathFaults(path, readSource(root)) };
  };

  it('count a file each time it is opened', () => {
    const stations = ['`a.ts` `start` — calls', '`b.ts` `B.go` — and', '`c.ts` `c` — ends'];
    expect(faultsOf(lines(...stations))).toEqual({ opened: 3, faults: [] });
    expect(faultsOf(lines(...stations, '`b.ts` `B` — again')).opened).toBe(4);
  });

  it('are reported if a name is not declared or a step is skipped', () => {
    expect(faultsOf(lines('`a.ts` `start` —', '`b.ts` `B.gone` —')).faults).toEqual([
      `${title}: b.ts does not declare B.gone`,
    ]);
    expect(faultsOf(lines('`a.ts` `start` —', '`c.ts` `c` —')).faults).toEqual([
      `${title}: nothing before it leads to c`,
    ]);
    expect(faultsOf(lines('`b.ts` `B.go` —', '`c.ts` `lost` —')).faults).toEqual([
      `${title}: nothing before it leads to lost`,
    ]);
  });

  it('may reach a class that is not imported through the files that hold it', () => {
    write({
      'src/from.ts':
        "import type { Held } from './held.js';\nexport function send(held: Held) { held.to.take(); }\n",
      'src/held.ts': "import type { Inner } from './inner.js';\nexport type Held = Inner;\n",
      'src/inner.ts': "import type { To } from './to.js';\nexport interface Inner { to: To }\n",
      'src/to.ts': 'export class To {\n  take() {}\n}\n',
    });
    const faults = (through: string) =>
      faultsOf(lines('`from.ts` `send` —', `\`to.ts\` \`To.take\`${through} —`)).faults;
    expect(faults(' through `held.ts`, `inner.ts`')).toEqual([]);
    expect(faults(' through `inner.ts`')).toHaveLength(1);
    expect(faults('')).toHaveLength(1);
  });

  it('may go through a port that both sides import', () => {
    write({
      'src/port.ts': 'export interface Port { take(): void }\n',
      'src/from.ts':
        "import type { Port } from './port.js';\nexport function send(port: Port) { port.take(); }\n",
      'src/to.ts':
        "import type { Port } from './port.js';\nexport class To implements Port {\n  take() {}\n}\n",
    });
    expect(faultsOf(lines('`from.ts` `send` —', '`to.ts` `To.take` through `port.ts` —'))).toEqual({
      opened: 2,
      faults: [],
    });
    expect(faultsOf(lines('`from.ts` `send` —', '`to.ts` `To.take` —')).faults).toHaveLength(1);
  });
});

describe('unreached files', () => {
  const faultsWith = (waiting: Waiting = {}) => unreachedFaults(root, readSource(root), waiting);

  beforeEach(() => {
    write({
      'src/main.ts': "import type { Used } from './used.js';\nimport 'packed';\n",
      'src/page/main.ts': "import '../of-page.js';\n",
      'src/bundle.mjs': "const entryPoints = { thread: from('work/thread.ts') };\n",
      'src/used.ts': 'export interface Used {}\n',
      'src/of-page.ts': 'export const ofPage = 1;\n',
      'src/work/thread.ts': "import '../of-thread.js';\n",
      'src/of-thread.ts': 'export const ofThread = 1;\n',
      'src/packed.d.ts': "declare module 'packed';\n",
      'docs/library.md': 'What is shown is `shown` and `Starred`; hidden is only a word.\n',
      'src/shown.ts': 'export const shown = 1;\n',
      'src/starred.ts': 'export interface Starred {}\n',
      'src/index.ts': "export { shown } from './shown.js';\nexport type * from './starred.js';\n",
    });
  });

  it('are not reported if commands, the page, threads or documented exports reach all files', () => {
    expect(faultsWith()).toEqual([]);
  });

  it('include files that only tests reach and declarations of modules that nothing imports', () => {
    write({
      'src/tested.ts': "import './below.js';\n",
      'src/below.ts': 'export const below = 1;\n',
      'src/other.d.ts': "declare module 'other';\n",
      'test/unit/tested.test.ts': "import '../../src/tested.js';\n",
    });
    const found = ['below.ts', 'other.d.ts', 'tested.ts'];
    expect(faultsWith()).toEqual(found.map((path) => `nothing but tests reaches src/${path}`));
  });

  it('include exports that docs/library.md does not show as code', () => {
    write({
      'src/hidden.ts': 'export const hidden = 1;\n',
      'src/index.ts':
        "export { shown } from './shown.js';\nexport type * from './starred.js';\nexport { hidden } from './hidden.js';\n",
    });
    expect(faultsWith()).toEqual(['nothing but tests reaches src/hidden.ts']);
  });

  it('may be listed in unreached.json while they exist and stay unreached', () => {
    write({ 'src/tested.ts': 'export const tested = 1;\n' });
    const why = { reason: 'It waits.', until: 'A command asks for it.' };
    expect(faultsWith({ 'tested.ts': why })).toEqual([]);
    expect(faultsWith({ 'tested.ts': why, 'used.ts': why, 'gone.ts': why })).toEqual([
      'unreached.json lists src/used.ts, which is reached: take it off',
      'unreached.json lists src/gone.ts, which is gone: take it off',
    ]);
  });
});

describe('names of estimators', () => {
  it('are found in strings, not in comments', () => {
    write({
      'src/a.ts': "// 'snips'\n/** 'naive' */\nexport const a = 1;\n",
      'src/b.ts': 'export const b = "wtd_h";\n',
      'src/c.ts': "export const c = 'snipsy';\n",
      'src/d.ts': 'export const d = `snips`;\n',
    });
    expect(estimatorPlaces(readSource(root))).toEqual(['b.ts', 'd.ts']);
  });

  it('are found as keys, not as variables', () => {
    write({
      'src/a.ts': 'export const a = (full: number) => ({ value: full });\n',
      'src/b.ts': 'export const b = { snips: 1 };\n',
      'src/c.ts': 'export interface C { readonly wtd_h: number }\n',
      'src/d.ts': 'export const d = (from: Record<string, number>) => from.skew;\n',
      'src/e.ts': 'export const e = ({ naive }: Record<string, number>) => naive;\n',
      'src/f.ts': 'export const f = ({ naive: g }: Record<string, number>) => g;\n',
      'src/g.ts': 'const reg = 1;\nexport const g = { reg };\n',
      'src/h.ts': "const name = 'a';\nexport const h = { [name]: 1 };\n",
    });
    const named = ['b.ts', 'c.ts', 'd.ts', 'e.ts', 'f.ts', 'g.ts'];
    expect(estimatorPlaces(readSource(root))).toEqual(named);
  });
});
