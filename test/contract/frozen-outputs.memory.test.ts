import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { evaluate } from '../../src/commands/files/evaluate.js';
import { replay } from '../../src/commands/files/replay.js';
import { runService } from '../../src/commands/service/service.js';
import { readConfig } from '../../src/config.js';
import { itAtNight } from '../support/at-night.js';
import { FROZEN_LOGS, type FrozenLog, linesOf } from '../support/frozen/logs.js';
import { OrderedSource } from '../support/frozen/source.js';
import { MemoryCheckpointStore } from '../support/memory-checkpoint-store.js';
import { duckdb } from '../support/parquet-file.js';
import { quietIo } from '../support/quiet-io.js';
import { IS_LONG } from '../support/repetitions.js';

/**
 * What users get of six logs, by digests: a change that means to leave all outputs as they are
 * leaves these as they are. After one that changes them on purpose,
 *
 *     UNSKEW_FREEZE=1 UNSKEW_FREEZE_DIR=<folder> npx vitest run frozen-outputs
 *
 * writes the digests again, and the full texts into the folder, so that they can be compared with
 * those of the commit before. With the folder alone a failure names the first line that differs.
 */
const DIGESTS = new URL('../fixtures/frozen-outputs.json', import.meta.url);
const { UNSKEW_FREEZE: asked, UNSKEW_FREEZE_DIR: texts } = process.env;
const isFreezing = asked === '1';
const frozen: Record<string, Record<string, string>> = existsSync(DIGESTS)
  ? JSON.parse(readFileSync(DIGESTS, 'utf8'))
  : {};

const folder = mkdtempSync(join(tmpdir(), 'unskew-frozen-'));
afterAll(() => {
  rmSync(folder, { recursive: true });
  if (isFreezing) writeFileSync(DIGESTS, `${JSON.stringify(frozen, null, 2)}\n`);
});

/**
 * Routes that a tick answers, without those that say how the process is: the history of quality counts
 * what was read while a tick ran, which does not follow from the log.
 */
const ROUTES = [
  'estimates',
  'estimates?model=popular&estimator=snips',
  'verdicts',
  'popularity',
  'propensity',
  'segments',
  'segments?metric=recall',
  'estimates/history',
  'differences/history',
  'popularity/history',
  'propensity/history',
  'samples/history',
  'alarms',
  'items/ITEM',
  'users/USER',
  'why?model=popular&metric=recall&k=5',
  'why?model=popular&against=personal&metric=recall&k=5',
  'marks',
];

/**
 * The log that has something of everything: `npm test` looks at all of its outputs but the texts of
 * commands, and at the numbers of those that are read by other rules than it is. The night looks at all outputs of all.
 */
const WHOLE = 'all';
const NUMBERS = ['causes', 'requests'];
const IS_WHOLE = IS_LONG || isFreezing;

function configOf({ settings }: FrozenLog, more: Readonly<Record<string, unknown>> = {}) {
  return readConfig({ env: {}, overrides: { ...settings, ...more } }).config;
}

async function ofCommands(name: string, log: FrozenLog) {
  const path = join(folder, `${name}.ndjson`);
  writeFileSync(path, linesOf(log.events));
  const html = join(folder, `${name}.html`);
  const common = { events: [path], config: configOf(log), maxFaults: 0 };
  const printed = async (run: (io: typeof quietIo) => Promise<void>) => {
    let text = '';
    await run({ ...quietIo, stdout: (part) => (text += part) });
    return text;
  };
  const evaluated = (more: {
    json?: boolean;
    all?: boolean;
    questions?: string[];
    html?: string;
  }) => printed((io) => evaluate({ ...common, train: [], json: false, all: false, ...more }, io));
  const { partitions } = log;
  const isReported = name === WHOLE || IS_WHOLE;
  const json = pretty(
    await evaluated({ json: true, questions: ['why'], ...(isReported && { html }) }),
  );
  if (!isReported) return { 'evaluate --json': json };
  const replayed = await printed((io) =>
    replay({ ...common, partitions, json: true, all: false }, io),
  );
  const written = {
    'evaluate --json': json,
    // The day on which it was written is another one each day.
    'evaluate --html': readFileSync(html, 'utf8').replace(
      /\d{4}-\d\d-\d\d \d\d:\d\d UTC · unskew/,
      'DATE · unskew',
    ),
    'replay --json': replayed,
  };
  // What these print beside is words of the same numbers.
  if (!IS_WHOLE) return written;
  return {
    ...written,
    evaluate: await evaluated({}),
    'evaluate --all': await evaluated({ all: true, questions: ['why'] }),
    replay: await printed((io) => replay({ ...common, partitions, json: false, all: false }, io)),
  };
}

/** Panes close in slices after the last batch; they have when the newest one stays the same. */
async function settled(estimates: string): Promise<void> {
  let before = '';
  for (let same = 0; same < 5; ) {
    await new Promise((resolve) => setTimeout(resolve, 100));
    const { paneEnd } = (await (await fetch(estimates)).json()) as { paneEnd?: number };
    same = String(paneEnd) === before ? same + 1 : 0;
    before = String(paneEnd);
  }
}

async function ofService(name: string, log: FrozenLog) {
  const known = log.events.find((event) => event.type === 'interaction')!;
  const results = join(folder, `${name}-results`);
  const source = new OrderedSource(log);
  const store = new MemoryCheckpointStore();
  const stopping = new AbortController();
  const found: Record<string, string> = {};
  let ended: Promise<void> = Promise.resolve();
  const address = await new Promise<string>((resolve, reject) => {
    ended = runService({
      config: configOf(log, {
        'http.host': '127.0.0.1',
        'http.port': 0,
        'deadLetters.to': 'none',
        'results.out': results,
        'state.every': '1d',
      }),
      source,
      deadLetters: undefined,
      checkpoints: store,
      io: { ...quietIo, signal: stopping.signal },
      onListening: resolve,
    });
    ended.catch(reject);
  });
  await source.read;
  await settled(`${address}/api/v1/estimates`);
  found['/metrics'] = stated(await (await fetch(`${address}/metrics`)).text());
  for (const route of ROUTES) {
    const asked = route.replace('ITEM', known.item).replace('USER', known.user);
    const answer = await fetch(`${address}/api/v1/${asked}`);
    found[`/api/v1/${route}`] = `${answer.status}\n${pretty(await answer.text())}`;
  }
  found['/api/v1/stream'] = pretty(await firstTick(`${address}/api/v1/stream`));
  stopping.abort();
  await ended;
  const rows = `select * from read_parquet('${results}/**/*.parquet', hive_partitioning=false)`;
  const read = await (await duckdb()).runAndReadAll(rows);
  found['results'] = read
    .getRowObjectsJson()
    .map((row) => JSON.stringify(row))
    .join('\n');
  for (const partition of await store.partitions()) {
    for await (const bytes of store.load(partition)) {
      const lines = timeless(bytes)
        .toString('hex')
        .match(/.{1,80}/g)!;
      found[`checkpoint of partition ${partition}`] = lines.join('\n');
    }
  }
  return found;
}

async function firstTick(url: string): Promise<string> {
  const stopping = new AbortController();
  const { body } = await fetch(url, { signal: stopping.signal });
  let text = '';
  for await (const part of body!.pipeThrough(new TextDecoderStream())) {
    text += part;
    const [, data] = /event: tick\ndata: (.*)\n\n/.exec(text) ?? [];
    if (data === undefined) continue;
    stopping.abort();
    return data;
  }
  throw new Error('the stream ended without a tick');
}

function pretty(json: string): string {
  return JSON.stringify(JSON.parse(json), null, 1);
}

/** Of the process and its clock, not of the log. */
const OF_PROCESS = /^(# \w+ )?(process_|nodejs_|unskew_build_info|\w*_seconds)/;

function stated(metrics: string): string {
  return metrics
    .split('\n')
    .filter((line) => !OF_PROCESS.test(line))
    .join('\n');
}

/** Where the checksum of a checkpoint stands, which is of the time in its head too. */
const CHECKSUM = { from: 12, to: 16 };

const MAGIC = 'unskewcp';

/** Without when it was saved, by the wall clock. */
function timeless(checkpoint: Uint8Array): Buffer {
  const text = Buffer.from(checkpoint).toString('latin1');
  const stopped = text.replaceAll(/"savedAt":\d+/g, '"savedAt":0');
  const bytes = Buffer.from(stopped, 'latin1');
  // Of lists, and of the rows behind them.
  for (let at = bytes.indexOf(MAGIC); at >= 0; at = bytes.indexOf(MAGIC, at + 1)) {
    bytes.fill(0, at + CHECKSUM.from, at + CHECKSUM.to);
  }
  return bytes;
}

function firstDifference(name: string, text: string): string {
  const path = texts === undefined ? undefined : join(texts, name);
  if (path === undefined || !existsSync(path)) return 'the frozen text is not at hand';
  const [was, is] = [readFileSync(path, 'utf8'), text].map((each) => each.split('\n'));
  const line = is!.findIndex((each, n) => each !== was![n]);
  if (line < 0) return `line ${is!.length + 1} was ${was![is!.length]}, and is not there`;
  return `line ${line + 1} was\n${was![line]}\nand is\n${is![line]}`;
}

const LOGS = Object.entries(FROZEN_LOGS).filter(
  ([name]) => IS_WHOLE || name === WHOLE || NUMBERS.includes(name),
);

describe.each(LOGS)('the outputs of the log “%s”', (name, make) => {
  const log = make();
  const itOfAll = name === WHOLE || isFreezing ? it : itAtNight;

  function check(part: string, found: Readonly<Record<string, string>>): void {
    const known = frozen[name] ?? {};
    frozen[name] = known;
    const changed: string[] = [];
    for (const [output, text] of Object.entries(found)) {
      const digest = createHash('sha256').update(text).digest('hex');
      const file = `${name} ${output}`.replaceAll(/[^\w.-]+/g, '_');
      if (isFreezing) {
        known[output] = digest;
        if (texts !== undefined) {
          mkdirSync(texts, { recursive: true });
          writeFileSync(join(texts, file), text);
        }
      } else if (known[output] !== digest) {
        changed.push(`${output}: ${firstDifference(file, text)}`);
      }
    }
    expect(changed, part).toEqual([]);
  }

  it('match the frozen outputs of the commands', async () => {
    check('commands', await ofCommands(name, log));
  });

  itOfAll('match the frozen outputs of the service', async () => {
    check('service', await ofService(name, log));
  });
});
