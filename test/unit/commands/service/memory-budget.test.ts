import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { memoryTable } from '../../../../docs/memory-table.js';
import {
  BYTES_EACH,
  historyBytes,
  memoryBudget,
  total,
} from '../../../../src/commands/service/budget.js';
import { reportMemory } from '../../../../src/commands/service/service.js';
import { KEY_INDEX, loadConfig } from '../../../../src/config.js';
import { History } from '../../../../src/outputs/history/history.js';
import { tickValues } from '../../../../src/outputs/history/tick-values.js';
import type { PaneRows } from '../../../../src/state/panes/pane-rows.js';
import type { RowRatings } from '../../../../src/state/panes/row-ratings.js';
import type { RatedPart } from '../../../../src/state/panes/window-part.js';
import { bytesEach } from '../../../bench/memory.js';
import { bytesOfOpenRequest } from '../../../bench/values.js';
import { makeSnapshot } from '../../../fixtures/snapshot.js';
import { reachableBytes } from '../../../support/collect.js';
import { QUALITY } from '../../../support/http-server.js';
import { IS_LONG } from '../../../support/repetitions.js';

const ROOT = new URL('../../../../', import.meta.url);
const AROUND = { brokers: 1, partitions: 4 };
const GIB = 2 ** 30;
const configOf = (overrides: Readonly<Record<string, unknown>> = {}) =>
  loadConfig({ env: {}, overrides });

/** The bytes of all columns, however deeply nested. */
function bytesIn(columns: unknown): number {
  if (ArrayBuffer.isView(columns)) return columns.byteLength;
  if (typeof columns !== 'object' || columns === null) return 0;
  return Object.values(columns).reduce<number>((sum, column) => sum + bytesIn(column), 0);
}

describe('the memory budget', () => {
  it('overestimates the memory of a row by less than a factor of two', () => {
    const rows: Required<Omit<PaneRows, 'ratings' | 'segments'>> = {
      pane: 0,
      length: 1,
      user: new Int32Array(1),
      item: new Int32Array(1),
      flags: new Uint8Array(1),
      propensity: new Float32Array(1),
      causes: { cause: new Uint16Array(1), served: new Uint16Array(1) },
      ranks: [new Uint16Array(1)],
      lists: [new Uint16Array(1)],
    };
    const bytes = bytesIn(rows);
    expect(BYTES_EACH.row + BYTES_EACH.rowModel).toBeGreaterThan(bytes);
    expect(BYTES_EACH.row + BYTES_EACH.rowModel).toBeLessThan(2 * bytes);
  });

  it('overestimates the memory of a rating by less than 20 %', () => {
    const one = { rating: new Float32Array(1), scores: [new Float32Array(1)] };
    const kept: RowRatings = one;
    const copied: Omit<RatedPart, 'users' | 'user' | 'start' | 'userCount' | 'offScale'> = {
      ...one,
      item: new Int32Array(1),
      isRandom: new Uint8Array(1),
      propensity: new Float32Array(1),
      ranks: [new Uint16Array(1)],
    };
    const bytes = bytesIn(kept) + bytesIn(copied);
    expect(BYTES_EACH.rating + BYTES_EACH.ratingModel).toBeGreaterThan(bytes);
    expect(BYTES_EACH.rating + BYTES_EACH.ratingModel).toBeLessThan(1.2 * bytes);
    const learned: RatedPart['learned'] = new Float64Array(1);
    expect(BYTES_EACH.ratingByFile).toBe(learned.byteLength);
    const rowsOf = (more: object) =>
      memoryBudget(
        configOf({ 'estimates.metrics': ['mae'], 'limits.rows': 1000, ...more }),
        AROUND,
      )[0]!.bytes;
    expect(rowsOf({ 'ratings.propensities': 'p.json' }) - rowsOf({})).toBe(
      1000 * BYTES_EACH.ratingByFile,
    );
  });

  it('overestimates the memory of an open request by less than a factor of two', () => {
    // The table is nearly full at this size, so that spare capacity matters little.
    const requests = 110_000;
    bytesOfOpenRequest(1000);
    const found = bytesOfOpenRequest(requests);
    expect(found).toBeLessThan(BYTES_EACH.openRequest);
    expect(found).toBeGreaterThan(BYTES_EACH.openRequest / 2);
  });

  // This takes a long log, on which spare capacity does not matter.
  if (IS_LONG) {
    it('overestimates rows, users, list entries and items by less than a factor of two', () => {
      const found = bytesEach();
      const reckoned = { ...BYTES_EACH, row: BYTES_EACH.row + 3 * BYTES_EACH.rowModel };
      for (const thing of ['row', 'user', 'listEntry', 'item'] as const) {
        expect(found[thing], thing).toBeLessThan(reckoned[thing]);
        expect(found[thing], thing).toBeGreaterThan(reckoned[thing] / 2);
      }
    }, 1_200_000);
  }

  it('does not underestimate the memory of the history', () => {
    const overrides = { 'history.keep': '20m', 'time.tick': '1m', 'models.max': 2 };
    const config = configOf({ ...overrides, 'estimates.ks': [5], baseline: 'none' });
    const snapshots = Array.from({ length: 30 }, (_, n) =>
      makeSnapshot({ paneEnd: (n + 1) * 60_000, start: n + 1 }),
    );
    const before = reachableBytes();
    const history = new History({ keepMs: config.history.keepMs });
    for (const snapshot of snapshots) {
      history.add(snapshot.paneEnd, tickValues(snapshot, QUALITY), []);
    }
    expect(reachableBytes() - before).toBeLessThan(historyBytes(config));
    expect(history.ticks.length).toBe(20);
  });

  it.each([
    ['limits.rows', 40_000_000],
    ['limits.listEntries', 160_000_000],
    ['limits.users', 10_000_000],
    ['limits.requests', 1_000_000],
    ['value.horizon', '60m'],
    ['limits.items', 2_000_000],
    ['kafka.maxUnpacked', '128MiB'],
    ['models.max', 32],
    ['history.keep', '96h'],
    ['export.memory', '512MiB'],
  ])('grows with %s, only in the lines that name it', (key, value) => {
    const exports = { 'export.schedule': '0 3 * * *', 'export.out': '/sets' };
    const [before, after] = [exports, { ...exports, [key]: value }].map((overrides) =>
      memoryBudget(configOf(overrides), AROUND),
    );
    const grown = after!.filter(({ bytes }, line) => bytes !== before![line]!.bytes);
    expect(grown.length).toBeGreaterThan(0);
    for (const line of grown) {
      expect(line.keys, line.what).toContain(key);
      expect(line.bytes).toBeGreaterThan(before!.find(({ what }) => what === line.what)!.bytes);
    }
  });

  it('names only existing configuration keys', () => {
    const overrides = { 'export.schedule': '0 3 * * *', 'export.out': '/sets' };
    for (const { keys } of memoryBudget(configOf(overrides), AROUND)) {
      for (const key of keys) expect(KEY_INDEX.byPath.has(key), key).toBe(true);
    }
  });

  it('is infinite where items have no limit', () => {
    const config = configOf({ 'limits.items': 'none' });
    expect(total(memoryBudget(config, AROUND))).toBe(Number.POSITIVE_INFINITY);
  });

  it('of the deployed configurations fits their containers, with three brokers', () => {
    const read = (path: string) => parse(readFileSync(new URL(path, ROOT), 'utf8'));
    const secret = {
      UNSKEW_HTTP_TOKEN: 'correct-horse-battery-staple',
      UNSKEW_STATE_REDIS_URL: 'redis://redis:6379',
    };
    const { memory, settings } = read('deploy/helm/unskew/values.yaml');
    for (const env of [settings, read('deploy/kubernetes/configmap.yaml').data]) {
      const config = loadConfig({ env: { ...env, ...secret } });
      const bytes = total(memoryBudget(config, { ...AROUND, brokers: 3 }));
      expect(bytes).toBeLessThan(Number.parseInt(memory, 10) * GIB);
    }
  });

  it('is the table in docs/sizing.md', () => {
    expect(readFileSync(new URL('docs/sizing.md', ROOT), 'utf8')).toContain(memoryTable());
  });
});

describe('a starting service', () => {
  function told(container: number) {
    const lines: [level: string, message: string][] = [];
    const note = (level: string) => (_fields: object, message: string) => {
      lines.push([level, message]);
    };
    const log = { info: note('info'), warn: note('warn') };
    reportMemory(configOf(), log as never, { container, heap: GIB });
    return lines;
  }

  it('warns if the container may be too small, and says what to lower', () => {
    expect(told(2 * GIB)).toEqual([
      [
        'warn',
        expect.stringMatching(/may need more memory than the container has; lower limits\.rows/),
      ],
    ]);
  });

  it('does not warn if memory suffices or has no limit', () => {
    expect(told(16 * GIB)).toEqual([['info', expect.stringContaining('fits into the container')]]);
    const none = [['info', expect.stringContaining('no memory limit')]];
    expect(told(0)).toEqual(none);
    expect(told(2 ** 64)).toEqual(none);
  });
});
