import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  type KeptPanes,
  keep,
  newKeptPanes,
  withPane,
} from '../../../../src/features/drift/kept-panes.js';
import {
  newestCell,
  newRankDetector,
  rankCell,
  rankECusum,
  rankEValues,
  rankShiryaevRoberts,
} from '../../../../src/features/drift/ranks.js';
import { symmetricResiduals, whitened } from '../../../../src/features/drift/residuals.js';
import { normals } from '../../../oracle/normal.js';
import {
  detectorByDefinition,
  eValuesByDefinition,
  type Kept,
  residualsByDefinition,
  whitenedByDefinition,
} from '../../../oracle/rank-e-values.js';

const kept = fc.array(
  fc.record({
    // Few different values, so that ties come.
    value: fc.integer({ min: 0, max: 12 }).map((n) => n / 20),
    weight: fc.integer({ min: 1, max: 4000 }).map((n) => n / 8),
    slot: fc.nat(2),
    follows: fc.boolean(),
  }),
  { minLength: 2, maxLength: 30 },
);

const columns = (panes: readonly Kept[]) => ({
  value: panes.map(({ value }) => Math.round(1e9 * value)),
  weight: panes.map(({ weight }) => 1000 * weight),
  slot: panes.map(({ slot }) => slot),
  follows: panes.map(({ follows }) => Number(follows)),
  lastTo: 0,
});

/** Billionths of a value, by the root of thousandths of a weight. */
const UNIT = 1e9 * Math.sqrt(1000);

function close(found: Float64Array, wanted: readonly (number | undefined)[]): void {
  wanted.forEach((value, i) => {
    if (value === undefined) expect(found[i]).toBeNaN();
    else expect(Math.abs(found[i]! - value)).toBeLessThan(1e-9 * (1 + Math.abs(value)));
  });
}

describe('the ranking of a pane', () => {
  it('matches the definitions of residuals, whitened residuals and e-values', () => {
    fc.assert(
      fc.property(kept, (panes) => {
        const residuals = symmetricResiduals(columns(panes));
        const inUnits = residuals.map((residual) => residual / UNIT);
        close(inUnits, residualsByDefinition(panes));
        const white = whitened(residuals, columns(panes).follows);
        close(
          white.values.map((value) => value / UNIT),
          whitenedByDefinition(panes),
        );
        const found = rankEValues(rankCell(white));
        close(Float64Array.from(found), eValuesByDefinition(panes));
      }),
      { numRuns: 40 },
    );
  });
});

describe('the newest pane', () => {
  const described = ({ value, weight, slot, follows }: KeptPanes): Kept[] =>
    value.map((_, i) => ({
      value: value[i]! / 1e9,
      weight: weight[i]! / 1000,
      slot: slot[i]!,
      follows: follows[i] === 1,
    }));

  it('is ranked within its own series, even if another series was ranked before', () => {
    const one = { kept: newKeptPanes(), slots: 1, every: 1 };
    const other = { kept: newKeptPanes(), slots: 5, every: 3 };
    const random = normals(11);
    for (let t = 0; t < 430; t++) {
      for (const { kept: panes, slots, every } of [one, other]) {
        if (t % every !== 0) continue;
        // Every seventh pane is missing, and values are rounded so that some are tied.
        const from = t + Math.floor(t / (7 * every));
        const value = Math.round(30 + 3 * random()) / 100;
        const weight = 200 + 50 * Math.abs(random());
        keep(panes, { value, weight, slot: t % slots, from, to: from + every }, slots > 1);
        const found = rankEValues(newestCell(panes));
        const isLookedAt = t < 60 || t > 425;
        if (!isLookedAt || panes.value.length < 2) continue;
        close(Float64Array.from(found), eValuesByDefinition(described(panes)));
      }
    }
    expect([one.kept.value.length, other.kept.value.length]).toEqual([400, 144]);
  });
});

describe('detectors on e-values', () => {
  it('match their definitions when updated step by step', () => {
    const pane = fc.array(fc.double({ min: 0, max: 4, noNaN: true }), {
      minLength: 10,
      maxLength: 10,
    });
    fc.assert(
      fc.property(fc.array(pane, { minLength: 1, maxLength: 12 }), (panes) => {
        const states = [newRankDetector(), newRankDetector()] as const;
        const last = panes.map((eValues, from) => [
          rankShiryaevRoberts(states[0], { eValues, z: 0, from }).score,
          rankECusum(states[1], { eValues, z: 0, from }).score,
        ]);
        const [sum, largest] = last.at(-1)!;
        for (const [found, of] of [
          [sum!, 'sum'],
          [largest!, 'largest'],
        ] as const) {
          const wanted = detectorByDefinition(panes, of);
          expect(Math.abs(found - wanted)).toBeLessThanOrEqual(1e-9 * Math.max(1, wanted));
        }
      }),
      { numRuns: 60 },
    );
  });
});

describe('stored panes', () => {
  const pane = (from: number, weight = 1) => ({ value: from, weight, slot: 0, from, to: from + 1 });

  it('do not change if a pane is only evaluated, and no weight becomes 0', () => {
    const panes = newKeptPanes();
    keep(panes, pane(0, 1e-9), false);
    const before = structuredClone(panes);
    expect(withPane(panes, pane(1, 12.34567), false).weight).toEqual([1, 12_346]);
    expect(panes).toEqual(before);
  });
});
