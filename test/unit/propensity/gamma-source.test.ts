import { describe, expect, it } from 'vitest';
import {
  chosenGamma,
  type SettledGamma,
  type SourcedGamma,
  settled,
} from '../../../src/estimators/propensity/gamma-source.js';

const none = Number.NaN;
const REFUSED = {
  status: 'too_sparse' as const,
  beta: none,
  stdErr: none,
  lower: none,
  upper: none,
};

type Status = 'ok' | 'noisy_counts' | 'few_items' | 'too_sparse';

type Of = Parameters<typeof chosenGamma>[0];

/** The fits to exposures, close to each other by default. */
function fitted(status: Status, half = 0.392, distance = 0): Of['exposures'] {
  const split = { gamma: 0.8, stdErr: 0.1, lower: 0.6, upper: 1, effectiveItems: 50 };
  const poisson = { ...split, gamma: 0.8 - distance };
  return { status, split, poisson, lower: 0.8 - half, upper: 1 };
}

function choose(calibration: Of['calibration'], status: Status) {
  return chosenGamma({ calibration, exposures: fitted(status) }, 0.5);
}

describe('the γ that the data support', () => {
  it.each(['noisy_counts', 'few_items', 'too_sparse'] as const)('is assumed with %s', (status) => {
    expect(choose(REFUSED, status)).toEqual({
      source: 'assumed',
      gamma: 0.5,
      stdErr: 0,
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

  it('stays the fit while its error is small and both fits agree', () => {
    expect(next('fit', { exposures: fitted('few_items', 0.58) })).toBe('fit');
    expect(next('assumed', { exposures: fitted('few_items', 0.58) })).toBe('assumed');
    expect(next('fit', { exposures: fitted('few_items', 0.6) })).toBe('assumed');
    expect(next('fit', { exposures: fitted('noisy_counts', 0.3, 0.149) })).toBe('fit');
    expect(next('fit', { exposures: fitted('noisy_counts', 0.3, 0.151) })).toBe('assumed');
    const refused = { ...fitted('too_sparse'), split: { ...fitted('ok').split, gamma: none } };
    expect(next('fit', { exposures: refused })).toBe('assumed');
  });
});

describe('a source from tick to tick', () => {
  const of = (source: SourcedGamma['source'], gamma = 1): SourcedGamma => ({
    source,
    gamma,
    stdErr: 0.1,
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
});
