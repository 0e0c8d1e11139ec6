import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import files from 'node:fs/promises';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { ResultFolder } from '../../../../../src/adapters/files/result-folder.js';
import { resultFile } from '../../../../../src/adapters/parquet/parquet.js';
import { KeptResults } from '../../../../../src/commands/service/kept-ticks.js';
import { Random } from '../../../../../src/estimators/mathematics/random.js';
import {
  isKeptTick,
  type ResultPlace,
  resultName,
  resultTable,
} from '../../../../../src/outputs/history/result-table.js';
import { isDoubtful } from '../../../../../src/rows/reading.js';
import { makeSnapshot } from '../../../../fixtures/snapshot.js';
import { quickOptions, threeModels } from '../../../../support/log.js';
import { duckdb } from '../../../../support/parquet-file.js';
import { repetitions } from '../../../../support/repetitions.js';
import { RestartedReader } from '../../../../support/restarts.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'unskew-results-'));
});
/** Restore all mocked file operations. */
const alive = () => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
};
afterEach(() => {
  alive();
  rmSync(folder, { recursive: true });
});

const QUIET = { warn: () => {}, error: () => {} };
const AT_ONCE = { longestWaitMs: 1 };

/** All result files below the folder, with their bytes. */
function contents(): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  return Object.fromEntries(
    names
      .filter((name) => /(^|\/)[^./][^/]*\.parquet$/.test(name))
      .sort()
      .map((name) => [name, readFileSync(join(folder, name)).toString('base64')]),
  );
}

describe('result tables', () => {
  it('hold the estimates of a snapshot, with null for missing values', async () => {
    const snapshot = makeSnapshot();
    const place = new ResultFolder(folder);
    await place.put(resultName(snapshot.paneEnd), resultFile(resultTable(snapshot), '1'));
    const query = `select *, epoch_ms(pane_end) as ms from '${folder}/**/*.parquet'`;
    const rows = (await (await duckdb()).runAndReadAll(query)).getRowObjects();
    const wanted = snapshot.windows.flatMap(({ name, results, differences }) =>
      [...results, ...differences].map((row) => ({ name, row })),
    );
    expect(rows).toHaveLength(wanted.length);
    const nullable = (value: number) => (Number.isFinite(value) ? value : null);
    for (const [n, { name, row }] of wanted.entries()) {
      const {
        model,
        metric,
        k,
        estimator,
        value,
        stdErr,
        counts: { users },
      } = row;
      expect(rows[n]).toMatchObject({
        window: name,
        model,
        metric,
        estimator,
        is_doubtful: isDoubtful(row),
        value: nullable(value),
        std_err: nullable(stdErr),
        users: BigInt(users),
        k: k === null ? null : BigInt(k),
        ms: BigInt(snapshot.paneEnd),
        reference: 'reference' in row ? row.reference : null,
      });
    }
  });

  it('are kept for the first tick at or after each multiple of the interval', () => {
    const ends = Array.from({ length: 40 }, (_, n) => 7 * n);
    expect(ends.filter((end) => isKeptTick(end, 7, 60))).toEqual([0, 63, 126, 182, 245]);
    expect(resultName(Date.UTC(2026, 1, 1))).toBe('day=2026-01-31/20260201T000000.000Z.parquet');
  });
});

describe('results of a service that crashes', () => {
  const log = threeModels(36);
  const options = quickOptions();
  const config = { time: { tickMs: options.tickMs, windows: [{ ms: options.tickMs }] } };

  /** Runs to the end; a place that throws `Crash` ends the process, which starts again. */
  async function run(place: () => ResultPlace, random?: Random): Promise<number> {
    const reader = new RestartedReader(log, options, 1);
    let results = new KeptResults(place(), config as never, QUIET, AT_ONCE);
    let added = 0;
    let crashes = 0;
    const add = () => {
      while (added < reader.snapshots.length) results.add(reader.snapshots[added++]!);
    };
    const crash = () => {
      crashes++;
      void results.outbox.close();
      reader.snapshots.length = added;
      reader.restart();
      results = new KeptResults(place(), config as never, QUIET, AT_ONCE);
    };
    for (let isMore = true; isMore; ) {
      isMore = false;
      for (const role of ['exposures', 'interactions'] as const) {
        isMore = reader.read(role, 0, random === undefined ? 10 : 1 + random.below(30)) || isMore;
        add();
        if (random !== undefined && crashes < 8 && random.below(4) === 0) {
          crash();
          isMore = true;
        } else if (random === undefined || random.below(3) === 0) {
          await results.outbox.written();
          reader.checkpoint(0);
          add();
        }
      }
    }
    reader.close(true);
    add();
    await results.outbox.written();
    return crashes;
  }

  it('are identical to those of an undisturbed run, wherever it crashed', async () => {
    await run(() => new ResultFolder(folder));
    const undisturbed = contents();
    expect(Object.keys(undisturbed).length).toBeGreaterThan(1);
    let crashes = 0;
    for (let seed = 0; seed < repetitions(2, 60); seed++) {
      rmSync(folder, { recursive: true });
      mkdirSync(folder);
      const random = new Random(seed, 'crashes');
      crashes += await run(() => ghost(new ResultFolder(folder)), random);
      expect(contents()).toEqual(undisturbed);
    }
    expect(crashes).toBeGreaterThan(1);
  });

  /** A place that writes nothing more once its process has ended. */
  let alive = 0;
  function ghost(place: ResultPlace): ResultPlace {
    const own = ++alive;
    return {
      place: place.place,
      put: async (name, bytes) => {
        await Promise.resolve();
        if (own !== alive) throw new Error('this process has ended');
        await place.put(name, bytes);
      },
    };
  }
});

describe('a result folder', () => {
  it('holds the old or the new file whole, at whatever step a process ends', async () => {
    const name = 'day=2026-01-01/a.parquet';
    const before = Buffer.alloc(1000, 1);
    const after = Buffer.alloc(5000, 2);
    const seen = new Set<number>();
    for (let last = 0; last < 8; last++) {
      rmSync(folder, { recursive: true });
      mkdirSync(join(folder, 'day=2026-01-01'), { recursive: true });
      writeFileSync(join(folder, name), before);
      let steps = 0;
      const dying = (step: 'open' | 'rename' | 'mkdir' | 'readdir') => {
        const real = Reflect.get(files, step) as (...given: unknown[]) => Promise<unknown>;
        vi.spyOn(files, step).mockImplementation((async (...given: unknown[]) => {
          // Count only file operations within the folder.
          if (String(given[0]).startsWith(folder) && steps++ >= last) throw new Error('killed');
          return real(...given);
        }) as never);
      };
      for (const step of ['open', 'rename', 'mkdir', 'readdir'] as const) dying(step);
      // Also for modules that imported them by name, and long before.
      syncBuiltinESMExports();
      await new ResultFolder(folder).put(name, after).catch(() => {});
      alive();
      const found = readFileSync(join(folder, name));
      expect([before, after].some((whole) => whole.equals(found))).toBe(true);
      seen.add(found.length);
      await new ResultFolder(folder).put(name, after);
      expect(readdirSync(join(folder, 'day=2026-01-01'))).toEqual(['a.parquet']);
    }
    expect([...seen].sort()).toEqual([1000, 5000]);
  });
});

describe('a result store that fails', () => {
  it('is retried, and waiting results are not reported as written', async () => {
    let failures = 3;
    const names: string[] = [];
    const place: ResultPlace = {
      place: 'nowhere',
      put: async (name) => {
        if (failures-- > 0) throw new Error('no room');
        names.push(name);
      },
    };
    const told: string[] = [];
    const log = { ...QUIET, warn: (_: object, text: string) => void told.push(text) };
    const config = { time: { tickMs: 1, windows: [{ ms: 1 }] } } as never;
    const results = new KeptResults(place, config, log as never, AT_ONCE);
    const snapshot = makeSnapshot();
    results.add(snapshot);
    results.add({ ...snapshot, paneEnd: snapshot.paneEnd + 1 });
    await results.outbox.written();
    expect(names).toEqual([resultName(snapshot.paneEnd), resultName(snapshot.paneEnd + 1)]);
    // One warning for all attempts; `trouble` reports the state meanwhile.
    expect(told).toEqual(['cannot write an output; retrying']);
    expect(results.outbox.trouble).toBeUndefined();
    failures = Number.POSITIVE_INFINITY;
    results.add(snapshot);
    let isWritten = false;
    void results.outbox.written().then(() => {
      isWritten = true;
    });
    await results.outbox.close();
    expect(isWritten).toBe(false);
    expect(results.outbox.trouble).toMatchObject({ reason: 'no room' });
    expect(results.outbox.waiting).toBe(1);
  });
});
