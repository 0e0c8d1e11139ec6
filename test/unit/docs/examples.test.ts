import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { ResultFolder } from '../../../src/adapters/files/result-folder.js';
import { resultFile } from '../../../src/adapters/parquet/parquet.js';
import { loadConfig } from '../../../src/config.js';
import * as library from '../../../src/index.js';
import { resultName, resultTable } from '../../../src/outputs/history/result-table.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { documentedMetrics } from '../../support/documented-metrics.js';
import { type Block, blocksIn, blocksOf, spansOf } from '../../support/examples/documents.js';
import { exampleFaults } from '../../support/examples/run-example.js';
import { commandsIn, wordsOf } from '../../support/examples/shell.js';
import { serve, type TestServer } from '../../support/http-server.js';
import { duckdb } from '../../support/parquet-file.js';
import { faultsOf, selectorsOf } from '../../support/promql.js';
import { run } from '../cli/fake-io.js';

/**
 * Every fenced block of the documents is checked by its language, and one of a language that nobody
 * checks is a fault. What needs Kafka or Docker is checked as far as it can be without: options by
 * the program's own parser, configurations by its own reader, queries by the grammar of PromQL and
 * the table of metrics, requests by a server with a snapshot. What shows output is run for real by
 * `test/contract/shown-output.memory.test.ts`.
 */
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const BLOCKS = blocksOf(ROOT);
const FIRST_CONFIGURATION = /^kafka:\n/;
const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));

let folder: string;
let server: TestServer;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-examples-'));
  const first = BLOCKS.find(
    ({ language, text }) => language === 'yaml' && FIRST_CONFIGURATION.test(text),
  );
  writeFileSync(join(folder, 'unskew.yaml'), first!.text);
  server = await serve({ snapshot: makeSnapshot() });
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await server.close();
});

const CHECKS: Readonly<Record<string, (text: string) => Promise<string[]>>> = {
  sh: (text) => allFaults(commandsIn(text, false).map(({ words }) => words)),
  console: (text) => allFaults(commandsIn(text, true).map(({ words }) => words)),
  yaml: async (text) =>
    text.startsWith('scrape_configs:') ? scrapeFaults(text) : configFaults(text),
  json: async (text) => (await Promise.all(text.trim().split('\n').map(eventFaults))).flat(),
  promql: async (text) => queryFaults(text),
  js: async (text) => libraryFaults(text),
  sql: async (text) => tableFaults(text),
  // It runs at night (`test/unit/docs/python-examples.nightly.test.ts`).
  python: async (text) => pythonFaults(text),
  // A picture; it names nothing that could be gone.
  mermaid: async (text) => (text.startsWith('flowchart ') ? [] : ['it is not a flow chart']),
};

it.each(BLOCKS.map((block) => [block.place, block.language, block] as const))(
  'the block at %s (%s) is right',
  async (_, __, block) => {
    expect(await blockFaults(block)).toEqual([]);
  },
);

async function blockFaults({ language, text, place }: Block): Promise<string[]> {
  // A drawing in characters, or a list of steps in words.
  if (language === '' && place.startsWith('ARCHITECTURE.md')) return [];
  const check = CHECKS[language];
  return check === undefined
    ? [`nothing checks ${language || 'a block without a language'}`]
    : check(text);
}

const COMMANDS = spansOf(ROOT).filter(({ text }) =>
  /^(?:npx unskew|unskew|npm run) [a-z]/.test(text),
);

it.each(COMMANDS.map(({ place, text }) => [text, place] as const))(
  'the command `%s` at %s is right',
  async (text) => {
    // What is to be filled in stands in brackets, or is an ellipsis.
    if (/[<[…|]/.test(text)) return;
    // A command that is only spoken of may lack what it needs, or name it in capitals.
    const isNamed = /^(?:npx )?unskew [a-z ]+(?: [A-Z]+)*$/.test(text);
    expect(await commandFaults(wordsOf(isNamed ? `${text} --help` : text))).toEqual([]);
  },
);

it.each(spansOf(ROOT).filter(({ text }) => /^\{"id".*\}$/.test(text)))(
  'the event at $place is valid',
  async ({ text }) => {
    expect(await eventFaults(text)).toEqual([]);
  },
);

describe('an invalid block is reported', () => {
  it.each([
    ['sh', 'npx unskew serve --confg unskew.yaml', /unknown option/],
    ['sh', 'npx unskew evaluate --gama 2 a.ndjson', /unknown option/],
    ['sh', 'npm run no-such-script', /no script no-such-script/],
    ['sh', 'docker compose -f deploy/no.yaml up', /deploy\/no.yaml is not there/],
    ['sh', "curl -s 'localhost:9464/api/v1/estimate'", /answers 404/],
    ['sh', "curl -s 'localhost:9464/api/v1/estimates?windw=1h'", /answers 400/],
    [
      'sh',
      `curl -s localhost:9464/api/v1/marks -H 'content-type: application/json' -d '{"text":"x"}'`,
      /answers 400/,
    ],
    ['sh', 'rm -rf build', /nothing checks rm/],
    ['yaml', 'time:\n  window: [1h]\n', /time.window/],
    ['yaml', 'scrape_configs:\n  - job_name: other\n', /job_name/],
    ['json', '{"id":"e","ts":0,"user":"u","items":["i"]}', /missing_field/],
    ['promql', 'sum by (', /at /],
    ['promql', 'unskew_estimates', /unskew_estimates is not in the table/],
    ['js', "import { gone } from 'unskew';\ngone(1);", /exports no gone/],
    ['js', "import { recallGain } from 'unskew';\nrecallGain(4, 5); // 0", /gives 1, not 0/],
    ['ruby', 'print 1', /nothing checks ruby/],
    ['sql', 'select mean from results', /does not exist|not found/],
    ['python', 'print(', /SyntaxError/],
    ['sh', 'npm sbon', /nothing checks npm sbon/],
    ['sh', 'kcat -C -b localhost:9092 -t unskew.ratings -e', /serve does not read unskew.ratings/],
    ['sh', 'kcat -P -b localhost:9092 -t unskew.exposures', /without a key or a partitioner/],
    ['sh', "jq -r '.id + tojson' mf.ndjson", /no key of the user/],
  ])('%s: %s', async (language, text, fault) => {
    const [block] = blocksIn('a.md', `\`\`\`${language}\n${text}\n\`\`\`\n`);
    expect((await blockFaults(block)).join('\n')).toMatch(fault);
  });
});

async function allFaults(commands: readonly (readonly string[])[]): Promise<string[]> {
  if (commands.length === 0) return ['it has no command'];
  return (await Promise.all(commands.map(commandFaults))).flat();
}

async function commandFaults(words: readonly string[]): Promise<string[]> {
  const [program, ...args] = words;
  if (program === 'unskew') return optionFaults(args);
  if (program === 'npx' && args[0] === 'unskew') return optionFaults(args.slice(1));
  if (program === 'npx' && args[0] === 'tsx') return [];
  if (program === 'npm') return npmFaults(args);
  if (program === 'docker')
    return fileFaults(args[0] === 'build' ? 'Dockerfile' : args[args.indexOf('-f') + 1]);
  if (program === 'git') return args[0] === 'push' ? [] : [`nothing checks git ${args[0]}`];
  if (program === 'node') return fileFaults(args[0]);
  if (program === 'kafka-topics.sh') return args.includes('--create') ? [] : ['it makes no topic'];
  if (program === 'kcat') return topicFaults(args);
  // It makes records of events: their key is the user's id.
  if (program === 'jq') return /\.user\b/.test(args[1]) ? [] : ['it makes no key of the user'];
  if (program === 'curl') return requestFaults(args);
  return [`nothing checks ${program}`];
}

/** By the program's own parser; the commands themselves do nothing. */
async function optionFaults(args: readonly string[]): Promise<string[]> {
  const nothing = new Proxy({}, { get: () => async () => ({ faults: 0 }) });
  const placed = args.map((arg) => (arg === 'unskew.yaml' ? join(folder, arg) : arg));
  const redirect = placed.indexOf('>');
  const { code, stderr } = await run(redirect < 0 ? placed : placed.slice(0, redirect), nothing);
  return code === 2 ? [stderr] : [];
}

const NPM = new Set(['ci', 'test', 'install', 'version', 'pack', 'sbom', 'publish']);

function npmFaults([verb, name]: readonly string[]): string[] {
  if (verb === 'run') return name in manifest.scripts ? [] : [`package.json has no script ${name}`];
  return NPM.has(verb) ? [] : [`nothing checks npm ${verb}`];
}

function fileFaults(path: string): string[] {
  return existsSync(join(ROOT, path)) ? [] : [`${path} is not there`];
}

/** Of kcat: `-t` is a topic that `serve` reads, and what is written to it has the user as its key. */
function topicFaults(args: readonly string[]): string[] {
  const topic = args[args.indexOf('-t') + 1];
  const { exposures, interactions } = loadConfig({ env: {} }).kafka.topics;
  const hasKey = ['-K', '-X'].every((option) => args.includes(option));
  return [
    ...([exposures, interactions].includes(topic) ? [] : [`serve does not read ${topic}`]),
    ...(args.includes('-P') && !hasKey ? ['it writes without a key or a partitioner'] : []),
  ];
}

/**
 * For curl: `-d` has the body, `-H` a header, and the argument that is not an option is the
 * address.
 */
async function requestFaults(args: readonly string[]): Promise<string[]> {
  const after = (option: string) => args.filter((_, n) => args[n - 1] === option);
  const [body] = after('-d');
  const headers = new Headers(after('-H').map((line) => line.split(': ') as [string, string]));
  const taken = new Set([...after('-d'), ...after('-H')]);
  const address = args.find((arg) => !arg.startsWith('-') && !taken.has(arg))!;
  const asked = address.replace(/^(?:https?:\/\/)?[\w.]+:9464/, server.address);
  const answer = await fetch(asked, body === undefined ? {} : { method: 'POST', headers, body });
  await answer.body?.cancel();
  return answer.ok ? [] : [`${address} answers ${answer.status}`];
}

function scrapeFaults(text: string): string[] {
  const [{ job_name: name, static_configs: targets }] = parse(text).scrape_configs;
  if (name !== 'unskew') return ['job_name is not that of the rules'];
  const { port } = loadConfig({ env: {} }).http;
  return targets[0].targets.every((each: string) => each.endsWith(`:${port}`))
    ? []
    : ['another port'];
}

function configFaults(text: string): string[] {
  const file = join(folder, 'example.yaml');
  writeFileSync(file, text);
  try {
    loadConfig({ file, env: {} });
    return [];
  } catch (error) {
    return [String(error)];
  }
}

async function eventFaults(line: string): Promise<string[]> {
  const event = JSON.parse(line);
  const file = join(folder, `event-${Math.random()}.ndjson`);
  writeFileSync(
    file,
    JSON.stringify({ type: 'items' in event ? 'exposure' : 'interaction', ...event }),
  );
  const { validateFiles } = await import('../../../src/commands/files/validate.js');
  const lines: string[] = [];
  const { faulty } = await validateFiles([file], {}, (said) => lines.push(said));
  return faulty === 0 ? [] : lines;
}

function queryFaults(text: string): string[] {
  const table = documentedMetrics(readFileSync(join(ROOT, 'docs/metrics.md'), 'utf8'));
  const unknown = selectorsOf(text).filter(({ metric }) => !table.includes(metric));
  return [...faultsOf(text), ...unknown.map(({ metric }) => `${metric} is not in the table`)];
}

const IMPORT = /^import \{([^}]+)\} from 'unskew';\n/;

function libraryFaults(text: string): string[] {
  const names =
    IMPORT.exec(text)?.[1]
      .split(',')
      .map((name) => name.trim()) ?? [];
  const missing = names.filter((name) => !(name in library));
  if (missing.length > 0) return missing.map((name) => `the package exports no ${name}`);
  return exampleFaults(text.replace(IMPORT, ''), library as Record<string, unknown>);
}

/** Queries run over the tables of results of a snapshot, in a folder of their own. */
async function tableFaults(text: string): Promise<string[]> {
  const results = join(folder, 'results');
  await new ResultFolder(results).put(
    resultName(makeSnapshot().paneEnd),
    resultFile(resultTable(makeSnapshot()), 'test'),
  );
  try {
    const query = text.replaceAll("'results/", `'${results}/`);
    await (await duckdb()).run(query);
    return [];
  } catch (error) {
    return [(error as Error).message];
  }
}

function pythonFaults(text: string): string[] {
  const parse = 'import ast, sys; ast.parse(sys.stdin.read())';
  const { status, stderr } = spawnSync('python3', ['-c', parse], { input: text });
  return status === 0 ? [] : [String(stderr)];
}
