import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BODIES } from '../../../src/commands/cli/bodies.js';
import { mulberry32 } from '../../bench/synthetic-log.js';
import { differences } from '../../support/compare.js';
import { type Event, feed, smallOptions } from '../../support/log.js';
import { run } from '../cli/fake-io.js';

// Clicks are stamped by another clock than lists, so that some come a little before their list.

const SKEW_MS = 12;
const LATENESS_MS = 9;
const BASE = smallOptions();
const options = (clockSkewMs: number, latenessMs: number) =>
  smallOptions({
    tickMs: 20,
    windows: [{ name: 'all', ms: 400 }],
    attributionTtlMs: 400,
    latenessMs,
    clockSkewMs,
    estimates: {
      ...BASE.estimates,
      metrics: ['recall', 'mrr'],
      ks: [2],
      estimators: ['snips'],
      feedback: 'caution',
    },
  });

/** A random log, and the same log as it would be if clicks had the time of their list. */
function logs(seed: number): { early: Event[]; aligned: Event[] } {
  const random = mulberry32(seed);
  const below = (n: number) => Math.floor(random() * n);
  const both: { readonly at: number; readonly early: Event; readonly aligned: Event }[] = [];
  for (let n = 0; n < 60; n++) {
    const ts = 1_000 + below(300);
    const user = `u${below(6)}`;
    const model = `m${below(2)}`;
    const items = ['a', 'b', 'c'].sort(() => random() - 0.5);
    const list: Event = { type: 'exposure', id: `l${n}`, ts, user, model, items };
    both.push({ at: ts + below(LATENESS_MS), early: list, aligned: list });
    if (random() < 0.4) continue;
    const click = {
      type: 'interaction',
      id: `c${n}`,
      user,
      item: items[below(2)]!,
      exposure: `l${n}`,
    } as const;
    const before = ts - below(SKEW_MS + 1);
    both.push({
      at: before + below(LATENESS_MS),
      early: { ...click, ts: before },
      aligned: { ...click, ts },
    });
  }
  both.sort((a, b) => a.at - b.at);
  return {
    early: both.map(({ early }) => early),
    aligned: both.map(({ aligned }) => aligned),
  };
}

describe('an interaction within the clock skew before its attributed list', () => {
  it.each([1, 2, 3, 4, 5, 6])('counts at the time of the list (log %i)', (seed) => {
    const { early, aligned } = logs(seed);
    // Far more lateness than the aligned log needs, and the panes of both close at the same time.
    const expected = feed(aligned, options(0, LATENESS_MS + SKEW_MS), {
      partitions: 1,
      batchSize: 1_000,
      run: 1,
    });
    for (const how of [
      { partitions: 1, batchSize: 1, run: 1 },
      { partitions: 2, batchSize: 3, run: 2 },
      { partitions: 1, batchSize: 1_000, run: 1 },
    ]) {
      const found = feed(early, options(SKEW_MS, LATENESS_MS), how);
      expect(found.outcomes.late).toBe(0);
      const { windows } = found.snapshots.at(-1)!;
      // Users are numbered as they come, so that sums may differ in their last digits.
      expect(differences(windows, expected.snapshots.at(-1)!.windows, 1e-12)).toEqual([]);
    }
  });

  it('is credited to no list without a clock skew', () => {
    const { early, aligned } = logs(1);
    const how = { partitions: 1, batchSize: 1_000, run: 1 };
    const found = feed(early, options(0, LATENESS_MS + SKEW_MS), how).snapshots.at(-1)!;
    const expected = feed(aligned, options(0, LATENESS_MS + SKEW_MS), how).snapshots.at(-1)!;
    expect(found.windows[0].onPolicy!.elsewhere).toBeGreaterThan(0);
    expect(expected.windows[0].onPolicy!.elsewhere).toBe(0);
  });
});

describe('evaluate', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'unskew-early-'));
  });
  afterAll(() => rm(folder, { recursive: true }));

  /** Each of 40 users is served a list, and clicks its first item this long before the list. */
  async function evaluated(aheadMs: number, ...more: readonly string[]) {
    const start = Date.parse('2026-03-01T00:00:00Z');
    const lines = Array.from({ length: 40 }, (_, n) => {
      const ts = start + n * 60_000;
      const common = { user: `u${n}` };
      return [
        { type: 'exposure', id: `l${n}`, ts, ...common, model: 'm', items: ['a', 'b'] },
        {
          type: 'interaction',
          id: `c${n}`,
          ts: ts - aheadMs,
          ...common,
          item: 'a',
          exposure: `l${n}`,
        },
      ];
    });
    const path = join(folder, `${aheadMs}.ndjson`);
    await writeFile(
      path,
      lines
        .flat()
        .map((line) => `${JSON.stringify(line)}\n`)
        .join(''),
    );
    const { stdout } = await run(['evaluate', '--events', path, '--json', ...more], BODIES);
    const { findings, windows, onPolicy = windows?.[0]?.onPolicy } = JSON.parse(stdout);
    const readings = findings.filter(({ code }: { code: string }) => code === 'read_as');
    return { onPolicy, readings };
  }

  it('credits clicks 0.3 s before their list, and says how many', async () => {
    const { onPolicy, readings } = await evaluated(300);
    expect(onPolicy.values[0]).toMatchObject({ model: 'm', value: 1 });
    expect(onPolicy.elsewhere).toBe(0);
    expect(readings).toMatchObject([{ figures: { count: 40, share: 0.5 }, reason: 'before_list' }]);
  });

  it('reports clicks 3 s before their list as too early', async () => {
    const { onPolicy, readings } = await evaluated(3_000);
    expect(onPolicy.elsewhere).toBe(40);
    expect(readings).toMatchObject([{ figures: { count: 40 }, reason: 'long_before_list' }]);
  });

  it('takes the clock skew from the command line', async () => {
    const { onPolicy } = await evaluated(3_000, '--clock-skew', '3s');
    expect(onPolicy.values[0]).toMatchObject({ value: 1 });
  });
});
