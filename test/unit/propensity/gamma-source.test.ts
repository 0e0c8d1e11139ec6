import { describe, expect, it } from 'vitest';
import {
  chosenGamma,
  type SettledGamma,
  type SourcedGamma,
  settled,
} from '../../../src/estimators/propensity/gamma-source.js';

/** With an interval as many items make it, or wider. */
const calibrated = (beta: number, stdErr: number, quantile = 1.96) => {
  const half = quantile * stdErr;
  return { status: 'ok' as const, beta, stdErr, lower: beta - half, upper: beta + half };
};
const none = Number.NaN;
const REFUSED = {
  ...{ status: 'too_sparse' as const, beta: none, stdErr: none, lower: none, upper: none },
};

type Status = 'ok' | 'noisy_counts' | 'few_items' | 'too_sparse';

type Of = Parameters<typeof chosenGamma>[0];

/** The fits of exposures, near each other where it is not said. */
function fitted(status: Status, half = 0.392, distance = 0): Of['exposures'] {
  const split = { gamma: 0.8, stdErr: 0.1, lower: 0.6, upper: 1, effectiveItems: 50 };
  const poisson = { ...split, gamma: 0.8 - distance };
  return { status, split, poisson, lower: 0.8 - half, upper: 1 };
}

function choose(calibration: Of['calibration'], status: Status) {
  return chosenGamma({ calibration, exposures: fitted(status) }, 0.5);
}

describe('the γ that data speak for', () => {
  it('is calibrated where randomised traffic tells it, with twice the error of β', () => {
    expect(choose(calibrated(0.6, 0.15), 'ok')).toEqual({
      ...{ source: 'calibrated', gamma: 0.6 * 2 - 1, stdErr: expect.closeTo(0.3, 12) },
    });
  });

  it('has more than that error where few items carry it', () => {
    expect(choose(calibrated(0.6, 0.1, 2.45), 'ok').stdErr).toBeCloseTo((0.2 * 2.45) / 1.96, 12);
  });

  it('stays within what a policy can do', () => {
    expect(choose(calibrated(2.2, 0.1), 'ok').gamma).toBe(2);
    expect(choose(calibrated(-0.4, 0.1), 'ok').gamma).toBe(-1);
  });

  it('is fitted where that is refused or known too badly, with the longer side of the union', () => {
    for (const bad of [REFUSED, calibrated(0.6, 0.151)]) {
      const { source, gamma, stdErr } = choose(bad, 'ok');
      expect([source, gamma]).toEqual(['fit', 0.8]);
      expect(stdErr).toBeCloseTo(0.2, 12);
    }
  });

  it.each(['noisy_counts', 'few_items', 'too_sparse'] as const)('is assumed with %s', (status) => {
    expect(choose(REFUSED, status)).toEqual({
      ...{ source: 'assumed', gamma: 0.5, stdErr: 0 },
    });
  });
});

describe('the source in use', () => {
  const next = (used: SourcedGamma['source'], evidence: Partial<Of>) =>
    chosenGamma(
      { calibration: REFUSED, exposures: fitted('too_sparse', 9), ...evidence },
      0.5,
      used,
    ).source;

  it('stays calibrated while β is known to ± .2, which would not do to become so', () => {
    expect(next('calibrated', { calibration: calibrated(0.6, 0.2) })).toBe('calibrated');
    expect(next('calibrated', { calibration: calibrated(0.6, 0.21) })).toBe('assumed');
    expect(next('fit', { calibration: calibrated(0.6, 0.16) })).toBe('assumed');
  });

  it('stays the fit while its error is small and both fits are near each other', () => {
    expect(next('fit', { exposures: fitted('few_items', 0.58) })).toBe('fit');
    expect(next('assumed', { exposures: fitted('few_items', 0.58) })).toBe('assumed');
    expect(next('fit', { exposures: fitted('few_items', 0.6) })).toBe('assumed');
    expect(next('fit', { exposures: fitted('noisy_counts', 0.3, 0.149) })).toBe('fit');
    expect(next('fit', { exposures: fitted('noisy_counts', 0.3, 0.151) })).toBe('assumed');
    const refused = { ...fitted('too_sparse'), split: { ...fitted('ok').split, gamma: none } };
    expect(next('fit', { exposures: refused })).toBe('assumed');
  });

  it('gives way to a better one at once', () => {
    const evidence = { calibration: calibrated(0.6, 0.1), exposures: fitted('ok') };
    expect(next('fit', evidence)).toBe('calibrated');
  });
});

describe('a source from tick to tick', () => {
  const of = (source: SourcedGamma['source'], gamma = 1): SourcedGamma => ({
    ...{ source, gamma, stdErr: 0.1 },
  });
  const follow = (ticks: readonly SourcedGamma[]) => {
    let state: SettledGamma | undefined;
    return ticks.map((chosen) => {
      state = settled(state, chosen);
      // It is stored between ticks.
      state = JSON.parse(JSON.stringify(state)) as SettledGamma;
      return state.used;
    });
  };

  it('changes after three ticks that agree, and keeps its last value until then', () => {
    const used = follow([
      of('fit', 1),
      of('fit', 1.1),
      of('assumed'),
      of('assumed'),
      of('assumed'),
    ]);
    expect(used.map(({ source }) => source)).toEqual(['fit', 'fit', 'fit', 'fit', 'assumed']);
    expect(used.map(({ gamma }) => gamma)).toEqual([1, 1.1, 1.1, 1.1, 1]);
  });

  it('stays where others ask in turn, or are interrupted', () => {
    const [a, b, c] = [of('assumed'), of('calibrated'), of('fit')];
    expect(follow([c, a, a, b, b, a, a, c, a, a]).every(({ source }) => source === 'fit')).toBe(
      true,
    );
  });

  it('follows the values of its own source at once', () => {
    expect(follow([of('fit', 1), of('fit', 2)])[1].gamma).toBe(2);
  });
});
