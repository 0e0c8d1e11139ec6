import { describe, expect, it } from 'vitest';
import type { DetectorName } from '../../../src/features/drift/drift-options.js';
import type { Reading } from '../../../src/features/drift/reading.js';
import { type Judgement, type WatchState, watch } from '../../../src/features/drift/watch.js';
import { normals } from '../../oracle/normal.js';

const DETECTORS = ['cusum', 'e-cusum', 'e-sr', 'psi', 'js'] as const;
const OPTIONS = { detectors: DETECTORS, allowance: 0.5, threshold: 5, guarantee: 500, learn: 5 };

const level = (series: string, value: number, reason: string | null = null): Reading => ({
  kind: 'level',
  series,
  model: null,
  reason,
  value,
  weight: 1,
  dependsOnVolume: false,
});
const shares = (series: string, counts: number[], reason: string | null = null): Reading => ({
  kind: 'shares',
  series,
  model: null,
  reason,
  counts,
  designEffect: 1,
});

function run(panes: number, readings: (pane: number) => Reading[], state: WatchState = {}) {
  return Array.from({ length: panes }, (_, n) =>
    watch(state, readings(n), { from: n, to: n + 1, slot: 0 }, OPTIONS),
  );
}

const thresholds = (judgements: readonly Judgement[]) =>
  Object.fromEntries(judgements.map(({ detector, threshold }) => [detector, threshold])) as Record<
    DetectorName,
    number
  >;

describe('thresholds', () => {
  const random = normals(41);
  const of = (count: number) =>
    run(12, () =>
      Array.from({ length: count }, (_, n) => [
        level(`l${n}`, random()),
        shares(`s${n}`, [100, 100 + Math.round(9 * random())]),
      ]).flat(),
    );

  it('are unadjusted for one series, which is judged only after learning', () => {
    const panes = of(1);
    expect(panes[0].every(({ evidence }) => evidence === null)).toBe(true);
    expect(panes[11].every(({ evidence }) => evidence !== null)).toBe(true);
    const { cusum, psi, js, ...rest } = thresholds(panes[11]);
    expect(cusum).toBe(5);
    expect(rest).toEqual({ 'e-cusum': 500, 'e-sr': 500 });
    expect(psi).toBeCloseTo(Math.log10(500), 12);
    expect(js).toBe(psi);
  });

  it('are adjusted for the number of series of each detector', () => {
    const { cusum, psi, ...rest } = thresholds(of(7)[11]);
    expect(cusum).toBeCloseTo(5 + Math.log(7), 12);
    expect(rest['e-cusum']).toBe(3500);
    expect(rest['e-sr']).toBe(3500);
    expect(psi).toBeCloseTo(Math.log10(3500), 12);
  });
});

it('a distribution of too few users is judged but suppressed and not learned from', () => {
  const random = normals(42);
  const usual = () => [300 + Math.round(15 * random()), 300];
  const state: WatchState = {};
  run(20, () => [shares('s', usual())], state);
  const before = structuredClone(state['s'].shares);
  const [[first]] = run(1, () => [shares('s', [600, 10], 'few users')], state);
  expect(first).toMatchObject({ hasFired: true, suppressed: 'few users' });
  expect(state['s'].shares).toEqual(before);
});

describe('the level in an alarm', () => {
  const random = normals(43);
  const fired = (panes: Judgement[][]) => panes.flat().filter(({ hasFired }) => hasFired);

  it('is given before and after the change, although CUSUM fires only some panes later', () => {
    // A change of two standard deviations, which CUSUM needs some panes for.
    const all = run(60, (n) => [level('l', n < 40 ? 7 + random() : 5 + random())]);
    const [first] = fired(all).filter(({ detector }) => detector === 'cusum');
    expect(first.evidence!.since).toBeGreaterThanOrEqual(30);
    expect(first.level!.before).toBeGreaterThan(6.5);
    expect(first.level!.before).toBeLessThan(7.5);
    expect(first.level!.now).toBeGreaterThan(4);
    expect(first.level!.now).toBeLessThan(6);
  });

  it('is lower after a drop for all detectors that fire, and absent if none fires', () => {
    const all = run(30, (n) => [level('l', n < 20 ? 7 + random() : -30 + random())]);
    const found = fired(all);
    expect(found.length).toBeGreaterThan(1);
    for (const { level } of found) expect(level!.now).toBeLessThan(level!.before);
    expect(all[5].every((judgement) => !('level' in judgement))).toBe(true);
  });

  it('is the share of popular items if a distribution changes', () => {
    const usual = [...new Array<number>(10).fill(100), 0];
    const state: WatchState = {};
    run(
      20,
      () => [
        shares(
          's',
          usual.map((count) => Math.max(0, count + Math.round(9 * random()) * Math.sign(count))),
        ),
      ],
      state,
    );
    const [[first]] = run(
      1,
      () => [shares('s', [...usual.slice(0, 5), 400, 400, 400, 400, 400, 0])],
      state,
    );
    expect(first.hasFired).toBe(true);
    expect(first.level!.before).toBeCloseTo(0.5, 1);
    expect(first.level!.now).toBeCloseTo(0.8, 12);
  });
});
