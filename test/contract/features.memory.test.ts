import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Check } from 'typebox/value';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { evaluate } from '../../src/commands/files/evaluate.js';
import { replay } from '../../src/commands/files/replay.js';
import { monitorOptions } from '../../src/commands/service/monitor-options.js';
import { readConfig } from '../../src/config.js';
import { ACROSS } from '../../src/features/across.js';
import { OUTPUTS } from '../../src/features/outputs.js';
import { WORKS } from '../../src/features/works.js';
import { tickValues } from '../../src/outputs/history/tick-values.js';
import { Exporter } from '../../src/outputs/prometheus/exporter.js';
import { reportHtml } from '../../src/outputs/report/report.js';
import { windowSections } from '../../src/outputs/sections/window-sections.js';
import { evaluationTable, toEvaluationJson } from '../../src/outputs/text/evaluation.js';
import { windowDifferences, windowRows } from '../../src/outputs/window-rows.js';
import { FINDING_CODES } from '../../src/rows/findings/words.js';
import { aggregationOf } from '../../src/rows/reading.js';
import { Difference, Row } from '../../src/rows/row.js';
import { type Cell, markedCell, type Table } from '../../src/rows/table.js';
import { openCheckpoint } from '../../src/stream/checkpoint/checkpoint.js';
import type { MonitorOptions } from '../../src/stream/options.js';
import { Outcomes } from '../../src/stream/outcomes.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import type { Snapshot } from '../../src/stream/tick/snapshot.js';
import type { FeatureSample } from '../features/sample.js';
import { itAtNight } from '../support/at-night.js';
import { differences } from '../support/compare.js';
import { FEW, linesOf } from '../support/frozen/logs.js';
import { type Event, feed, partitionOf, roleOf } from '../support/log.js';
import { paneSeries } from '../support/pane-series.js';
import { quietIo } from '../support/quiet-io.js';
import { IS_LONG } from '../support/repetitions.js';
import { RestartedReader } from '../support/restarts.js';
import { parseExposition } from '../unit/prometheus/exposition.js';

/**
 * What every feature promises, over samples that stand in `test/features`, one for each feature, and
 * are found by its name there.
 */
const SAMPLES = await Promise.all(
  readdirSync(new URL('../features', import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(async ({ name }) => {
      const { SAMPLE } = await import(`../features/${name}/sample.ts`);
      return [name, SAMPLE as FeatureSample, await facesOf(name)] as const;
    }),
);

/** What a feature's folder exports to the lists. */
async function facesOf(name: string): Promise<ReadonlySet<unknown>> {
  const files = readdirSync(new URL(`../../src/features/${name}`, import.meta.url));
  const faces = ['work', 'across', 'output'].filter((face) => files.includes(`${face}.ts`));
  const modules = faces.map((face) => import(`../../src/features/${name}/${face}.ts`));
  return new Set((await Promise.all(modules)).flatMap((face) => Object.values(face)));
}

/** A few numbers of the core, and none of a feature that is asked for by default. */
const PLAIN = {
  ...FEW,
  'estimates.metrics': 'recall',
  'estimates.estimators': 'naive,snips',
  'decision.metric': 'none',
  'estimates.feedback': 'ignore',
  'estimates.interval': 't-logit',
};
const folder = mkdtempSync(join(tmpdir(), 'unskew-features-'));
afterAll(() => rmSync(folder, { recursive: true }));
afterEach(() => void vi.unstubAllGlobals());

function configOf({ asked }: FeatureSample, more: Readonly<Record<string, unknown>> = {}) {
  return readConfig({ env: {}, overrides: { ...PLAIN, ...asked, ...more } }).config;
}

const optionsOf = (sample: FeatureSample) => monitorOptions(configOf(sample));

/** As a service reads them. */
function fed(events: readonly Event[], options: MonitorOptions, partitions: number) {
  return feed(events, options, { partitions, batchSize: 100, run: 1, actions: options.actions });
}

const known = new Map<FeatureSample, readonly Snapshot[]>();
/** The snapshots of a sample in three partitions, read by a process that nothing disturbs. */
function snapshotsOf(sample: FeatureSample): readonly Snapshot[] {
  const found = known.get(sample);
  if (found !== undefined) return found;
  const reader = new RestartedReader(sample.events, optionsOf(sample), 3);
  reader.finish();
  known.set(sample, reader.snapshots);
  return reader.snapshots;
}

const everyRow = ({ windows }: Snapshot) => [
  ...windows.flatMap((window) => windowRows(window)),
  ...windows.flatMap((window) => windowDifferences(window)),
];

/** What a log leaves: snapshots, metrics, JSON, and the bytes of a checkpoint. */
async function outputsOf(events: readonly Event[], options: MonitorOptions) {
  const reader = new RestartedReader(events, options, 1);
  reader.read('exposures', 0, 1e6);
  reader.read('interactions', 0, events.length / 2);
  reader.checkpoint(0);
  reader.finish();
  const exporter = new Exporter({ maxModels: 9, version: '0', topics: [] });
  for (const snapshot of reader.snapshots) exporter.update(snapshot);
  const metrics = parseExposition(await exporter.metrics());
  const bytes = Buffer.from(reader.checkpoints.get(0)!).toString('latin1');
  return {
    snapshots: reader.snapshots,
    checkpoint: bytes.replace(/"savedAt":\d+/, '').slice(16),
    metrics: metrics.filter(({ name }) => name.startsWith('unskew_') && !name.endsWith('seconds')),
    json: reader.snapshots.map((each) => JSON.stringify(toEvaluationJson(each, 1, new Outcomes()))),
  };
}

/** Takes a feature out of the lists while something is made. */
async function inHouseWithout<T>(faces: ReadonlySet<unknown>, make: () => Promise<T>): Promise<T> {
  const kept = [WORKS, OUTPUTS, ACROSS].map((list) =>
    (list as readonly object[]).filter((own) => !faces.has(own)),
  );
  const before = [WORKS, OUTPUTS, ACROSS].map((list) => [...list]);
  const fill = (all: readonly (readonly unknown[])[]) => {
    for (const [n, list] of [WORKS, OUTPUTS, ACROSS].entries()) {
      (list as unknown[]).splice(0, Number.POSITIVE_INFINITY, ...all[n]!);
    }
  };
  fill(kept);
  try {
    return await make();
  } finally {
    fill(before);
  }
}

/** What neither the ends of a window nor the ticks before it have a part in. */
function numbersOf(evaluation: object) {
  const others = ['window', 'findings', 'alarms', 'notices', 'verdict'];
  return Object.fromEntries(Object.entries(evaluation).filter(([name]) => !others.includes(name)));
}

function textsOf(cell: Cell): string[] {
  const { words, notes = [] } = markedCell(cell);
  const own = words.map((part) =>
    typeof part === 'string' ? part : 'name' in part ? part.name : part.strong,
  );
  return [...own, ...notes.flatMap(textsOf)];
}

/** Whether a text is the number, rounded as it says itself. */
function isNumber(text: string, value: number): boolean {
  const [, digits = ''] = /^[+−-]?\d+(?:\.(\d+))?$/.exec(text) ?? ['', undefined];
  return Math.abs(Number(text.replace('−', '-')) - value) <= 0.5001 * 10 ** -digits.length;
}

it('there is a sample for every listed feature', () => {
  const all = SAMPLES.flatMap(([, , faces]) => [...faces]);
  expect(WORKS.length * OUTPUTS.length * ACROSS.length).toBeGreaterThan(0);
  for (const own of [...WORKS, ...OUTPUTS, ...ACROSS]) expect(all).toContain(own);
});

describe.each(SAMPLES)('the feature “%s”', (name, sample, faces) => {
  it('leaves no trace in any output if it is not configured', async () => {
    const off = sample.off(optionsOf(sample));
    // What is not asked for has nothing to say of half a log either.
    const events = IS_LONG ? sample.events : sample.events.slice(0, sample.events.length / 2);
    const silent = await outputsOf(events, off);
    const withoutIt = await inHouseWithout(faces, () => outputsOf(events, off));
    expect(differences(silent, withoutIt, 0)).toEqual([]);
    expect(silent.snapshots.length).toBeGreaterThan(1);
    for (const each of silent.snapshots) expect(sample.says(each)).toBe(0);
    expect(Math.max(...snapshotsOf(sample).map((each) => sample.says(each)))).toBeGreaterThan(0);
  });

  it('gives valid rows with unique names', () => {
    const rows = snapshotsOf(sample).flatMap(({ windows }) => windows.map(windowRows));
    const pairs = snapshotsOf(sample).flatMap(({ windows }) => windows.map(windowDifferences));
    for (const family of sample.families) {
      expect(rows.flat().filter((row) => row.family === family).length).toBeGreaterThan(0);
    }
    for (const [shape, lists] of [
      [Row, rows],
      [Difference, pairs],
    ] as const) {
      for (const list of lists) {
        const names = list.map((row) => {
          const { family, model, metric, k, estimator, form } = row;
          const reference = 'reference' in row ? row.reference : null;
          return JSON.stringify([family, model, reference, metric, k, estimator, form]);
        });
        expect(new Set(names).size).toBe(names.length);
        for (const row of list) {
          const { sums: _, ...sent } = JSON.parse(JSON.stringify(row));
          const what = `${name} ${JSON.stringify(sent)}`;
          expect(Check(shape, sent), what).toBe(true);
          const { value, lower, upper, status, reasons } = row as Row;
          if (status === 'given') expect(value, what).not.toBeNaN();
          if (status === 'refused') expect(value, what).toBeNaN();
          if (lower <= upper) expect(lower <= value && value <= upper, what).toBe(true);
          for (const { code } of reasons) {
            expect(
              FINDING_CODES.some((known) => `_${known}`.endsWith(`_${code}`)),
              what,
            ).toBe(true);
          }
        }
      }
    }
  });

  // By day the next test has one partition: that of `evaluate`, beside three of `replay`.
  itAtNight('gives the same results with one partition and with three', () => {
    const one = fed(sample.events, optionsOf(sample), 1);
    expect(differences(one.snapshots, snapshotsOf(sample), 1e-12)).toEqual([]);
  });

  it('gives the same results when a log is served, replayed and evaluated', async () => {
    const [shorter] = configOf(sample).time.windows;
    const config = configOf(sample, {
      'time.windows': `${shorter!.name},30d`,
      'dedupe.ttl': '30d',
      'popularity.horizon': '100d',
    });
    const path = join(folder, `${name}.ndjson`);
    writeFileSync(path, linesOf(sample.events));
    const printed = async (run: (io: typeof quietIo) => Promise<void>) => {
      let text = '';
      await run({ ...quietIo, stdout: (part) => (text += part) });
      return JSON.parse(text.trimEnd().split('\n').at(-1)!);
    };
    const common = { events: [path], config, maxFaults: 0, all: false, json: true };
    const replayed = await printed((io) => replay({ ...common, partitions: 3 }, io));
    const { snapshots, outcomes } = fed(sample.events, monitorOptions(config), 3);
    const served = JSON.parse(JSON.stringify(toEvaluationJson(snapshots.at(-1)!, 1, outcomes)));
    expect(differences(served, replayed, 1e-12)).toEqual([]);
    const evaluated = await printed((io) =>
      evaluate({ ...common, train: [], html: undefined }, io),
    );
    expect(differences(numbersOf(evaluated), numbersOf(replayed), 1e-12)).toEqual([]);
  });

  it('gives identical results after a restart and rejects a checkpoint with a changed byte', () => {
    const options = optionsOf(sample);
    const three = snapshotsOf(sample);
    for (const share of IS_LONG ? [0.1, 0.35, 0.8] : [0.35]) {
      const reader = new RestartedReader(sample.events, options, 3);
      for (let p = 0; p < 3; p++) {
        const own = sample.events.filter((event) => partitionOf(event.user, 3) === p);
        for (const role of ['exposures', 'interactions'] as const) {
          const all = own.filter((event) => roleOf(event) === role).length;
          reader.read(role, p, Math.round(share * all));
        }
      }
      for (let p = 0; p < 3; p++) reader.checkpoint(p);
      reader.restart(true);
      reader.finish();
      expect(differences(paneSeries(reader.snapshots), three, 0)).toEqual([]);
      const bytes = reader.checkpoints.get(1)!;
      for (const at of [0.2, 0.5, 0.9]) {
        const changed = Uint8Array.from(bytes);
        changed[Math.floor(at * bytes.length)]! ^= 1;
        expect(() => runAtOnce(openCheckpoint(changed))).toThrow();
      }
    }
  });

  it('exports each of its rows as gauges, history and table cells', async () => {
    const snapshot = snapshotsOf(sample).at(-1)!;
    const exporter = new Exporter({ maxModels: 9, version: '0', topics: [] });
    exporter.update(snapshot);
    const gauges = parseExposition(await exporter.metrics());
    const history = [...tickValues(snapshot, { topics: [] })];
    for (const window of snapshot.windows) {
      const lines = windowSections(snapshot, window)
        .flatMap(({ blocks }) => blocks.flatMap(({ tables }) => tables))
        .flatMap(({ lines: all }) => all.map((cells) => cells.flatMap(textsOf)));
      const all = windowRows(window) as readonly Row[];
      const own = all.filter(({ family }) => sample.families.includes(family));
      for (const { model, metric, k, estimator, value, ...row } of own) {
        if (Number.isNaN(value)) continue;
        const aggregation = aggregationOf(row);
        const labels = { model, metric, k: String(k ?? ''), estimator, aggregation };
        const wanted = Object.entries({ ...labels, window: window.name });
        const found = gauges.filter(
          (each) =>
            each.name === 'unskew_estimate' &&
            wanted.every(([label, text]) => each.labels[label] === text),
        );
        const what = JSON.stringify(labels);
        expect(
          found.map((each) => each.value),
          what,
        ).toEqual([value]);
        const key = ['estimates', model, metric, k, estimator, aggregation, window.name, 'value'];
        expect(history, what).toContainEqual([JSON.stringify(key), value]);
        const shown = lines.some(
          (texts) => texts.includes(model) && texts.some((text) => isNumber(text, value)),
        );
        expect(shown, what).toBe(true);
      }
    }
  });

  it('is configured by options that can be sent to a thread', () => {
    const options = optionsOf(sample);
    expect(differences(structuredClone(options), options, 0)).toEqual([]);
  });

  it('escapes names full of markup and control characters in text and HTML', async () => {
    const hostile = (text: string) => `<b onclick="x">\u001b[2J\u202e\0&${text}`;
    const named = sample.events.map((event) => ({
      ...event,
      user: hostile(event.user),
      ...(event.type === 'exposure'
        ? { model: hostile(event.model), items: event.items.map(hostile) }
        : { item: hostile(event.item) }),
      ...(event.segments && {
        segments: Object.fromEntries(
          Object.entries(event.segments).map(([key, text]) => [key, hostile(text!)]),
        ),
      }),
    })) as Event[];
    const snapshot = fed(named, optionsOf(sample), 1).snapshots.at(-1)!;
    expect(everyRow(snapshot).length).toBe(everyRow(snapshotsOf(sample).at(-1)!).length);
    const text = evaluationTable(snapshot, 1, new Outcomes());
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there.
    expect(text).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/);
    const markup = reportHtml(snapshot, 1, new Outcomes());
    expect(markup).not.toContain('<b onclick');
    // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there.
    expect(markup).not.toMatch(/[\0-\x09\x0b-\x1f\x7f-\x9f]/);
    vi.stubGlobal('document', { createElement: elementOf, createTextNode: (own: string) => own });
    const drawing = '../../src/page/panels/table.ts';
    const { tableOf } = (await import(drawing)) as { tableOf(table: Table): unknown };
    for (const { blocks } of windowSections(snapshot, snapshot.windows[1]!)) {
      for (const { tables } of blocks) for (const table of tables) tableOf(table);
    }
  });
});

/** An element that takes children and no markup. */
function elementOf() {
  const fields = ['className', 'scope', 'title', 'style'];
  const element = { style: {}, append: () => {} };
  return new Proxy(element, {
    set(target, field, value) {
      if (!fields.includes(String(field))) throw new Error(`sets ${String(field)}`);
      return Reflect.set(target, field, value);
    },
  });
}
