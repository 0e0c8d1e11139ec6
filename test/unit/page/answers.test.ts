import { describe, expect, it } from 'vitest';
import { liveTick } from '../../../src/adapters/http/routes/live-tick.js';
import type { LiveTick } from '../../../src/adapters/http/schema/live-tick.js';
import type { Answer } from '../../../src/page/answers/answer.js';
import { flatteredAnswer } from '../../../src/page/answers/answer-flattered.js';
import { growthAnswer } from '../../../src/page/answers/answer-growth.js';
import { trustAnswer } from '../../../src/page/answers/answer-trust.js';
import { SeriesTable } from '../../../src/page/charts/series-table.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { QUALITY } from '../../support/http-server.js';

const MINUTE = 60_000;

function textOf({ sentence }: Answer): string {
  return sentence.map((part) => (typeof part === 'string' ? part : part.strong)).join('');
}

function aTick(change: (tick: LiveTick) => void = () => {}): LiveTick {
  const snapshot = makeSnapshot({ models: ['a', 'b', 'c'] });
  const tick = JSON.parse(JSON.stringify(liveTick(snapshot, QUALITY, {}))) as LiveTick;
  tick.quality.topics[0].faults = {};
  tick.propensity = { ...tick.propensity, source: 'fit', gammaStdErr: 0.02 };
  for (const row of tick.window.estimates) row.ess = 500;
  for (const model of tick.window.models) model.singletonUserRatio = 0.02;
  change(tick);
  return tick;
}

/** Values of naive and snips, with the half width of snips' interval. */
function estimates(values: Readonly<Record<string, readonly [number, number, number]>>): LiveTick {
  return aTick((tick) => {
    tick.models = Object.keys(values);
    tick.window.estimates = tick.models.flatMap((model) => {
      const [naive, value, half] = values[model];
      const row = { model, stdErr: half / 2, ess: 500 };
      const ends = { lower: value - half, upper: value + half };
      return [
        { ...row, estimator: 'naive' as const, value: naive, lower: naive, upper: naive },
        { ...row, estimator: 'snips' as const, value, ...ends },
      ];
    });
  });
}

describe('which model looks better than it is', () => {
  it('names the one that loses the largest share, then the others, and who leads', () => {
    const tick = estimates({ a: [0.4, 0.1, 0.05], b: [0.3, 0.24, 0.05], c: [0.2, 0.19, 0.05] });
    const answer = flatteredAnswer(tick, 'snips');
    expect(answer).toMatchObject({ tone: 'care', word: 'a' });
    expect(textOf(answer)).toContain('of 0.400 is 0.100 by snips: 75\u00a0% of it is popularity');
    expect(textOf(answer)).toContain('b looks too good as well');
    expect(textOf(answer)).toContain('Naive puts a first, snips b.');
    expect(textOf(answer)).not.toContain('c ');
  });

  it('names none where naive lies within the interval or below it', () => {
    const tick = estimates({ a: [0.22, 0.2, 0.05], b: [0.1, 0.3, 0.05] });
    const answer = flatteredAnswer(tick, 'snips');
    expect(answer).toMatchObject({ tone: 'good', word: 'None' });
  });

  it('says that the order stays where it does', () => {
    const tick = estimates({ a: [0.4, 0.3, 0.01], b: [0.3, 0.2, 0.01] });
    expect(textOf(flatteredAnswer(tick, 'snips'))).toContain('a leads either way.');
  });

  it('has nothing to say without estimates', () => {
    expect(flatteredAnswer(estimates({}), 'snips').tone).toBe('unknown');
  });
});

describe('is popularity bias growing', () => {
  function ginis(values: readonly number[], model: string | null = 'a'): SeriesTable {
    const table = new SeriesTable();
    const labels = { stream: model === null ? 'interactions' : 'exposures', model };
    values.forEach((value, minute) => {
      table.append(minute * MINUTE, [[labels, 'gini', value]]);
    });
    return table;
  }
  const ramp = (from: number, to: number) =>
    Array.from({ length: 50 }, (_, n) => from + ((to - from) * n) / 49);

  it('yes, with what moved, from where and to where', () => {
    const answer = growthAnswer(aTick(), ginis(ramp(0.3, 0.4)), 0);
    expect(answer).toMatchObject({ tone: 'care', word: 'Yes' });
    // Medians of the first and the last ten of fifty: 4.5 steps from either end.
    expect(textOf(answer)).toContain('what a shows went from 0.309 to 0.391 since 00:00');
  });

  it('no where it shrinks or stays', () => {
    const shrinking = growthAnswer(aTick(), ginis(ramp(0.4, 0.3), null), 0);
    expect(shrinking).toMatchObject({ tone: 'good', word: 'No, it is shrinking' });
    expect(textOf(shrinking)).toContain('interactions');
    expect(growthAnswer(aTick(), ginis(ramp(0.3, 0.305)), 0).word).toBe('No, it is steady');
  });

  it('is not misled by a single tick that is off', () => {
    const values = ramp(0.3, 0.3);
    values[49] = 0.9;
    expect(growthAnswer(aTick(), ginis(values), 0).word).toBe('No, it is steady');
  });

  it('looks at the shown span alone, and waits for enough of it', () => {
    const table = ginis(ramp(0.3, 0.4));
    expect(growthAnswer(aTick(), table, 45 * MINUTE).word).toBe('Too early to say');
    expect(textOf(growthAnswer(aTick(), table, 45 * MINUTE))).toContain('there are 5 so far');
    expect(textOf(growthAnswer(aTick(), table, 10 * MINUTE))).toContain('since 00:10');
  });
});

describe('can these numbers be trusted', () => {
  it('yes where nothing speaks against it', () => {
    const answer = trustAnswer(aTick(), 'snips', true);
    expect(answer).toMatchObject({ tone: 'good', word: 'Yes' });
    expect(textOf(answer)).toContain('At least 500 effective users');
  });

  it.each([
    [
      'γ that is not fitted',
      (tick: LiveTick) => {
        tick.propensity.source = 'default';
        tick.propensity.fits['*'].status = 'too_few_levels';
      },
      'too few levels',
    ],
    [
      'a fixed γ that the exposures deny',
      (tick: LiveTick) => {
        tick.propensity.source = 'fixed';
        tick.propensity.fits['*'].status = 'ok';
        tick.propensity.fits['*'].ols = { gamma: 1, stdErr: 0.05, r2: 1, intercept: 0 };
      },
      'γ is fixed at 2.00 while exposures say 1.00',
    ],
    [
      'many pairs without a list',
      (tick: LiveTick) => {
        tick.window.models[0].unranked = tick.window.models[0].events;
      },
      '50\u00a0% of pairs have no list',
    ],
    [
      'faulty events',
      (tick: LiveTick) => {
        tick.quality.topics[0] = { ...tick.quality.topics[0], faults: { not_json: 9884 } };
      },
      '50.0\u00a0% of events are faulty',
    ],
    [
      'users with one event, in a mean over users',
      (tick: LiveTick) => {
        tick.chosen.aggregation = 'user';
        tick.window.models[1].singletonUserRatio = 0.8;
      },
      '80\u00a0% of users have one event',
    ],
  ])('with care, for %s', (_, change, words) => {
    const answer = trustAnswer(aTick(change), 'snips', true);
    expect(answer).toMatchObject({ tone: 'care', word: 'With care' });
    expect(textOf(answer)).toContain(words);
  });

  it('not now while the stream is cut, the log is being read, or users are few', () => {
    expect(trustAnswer(aTick(), 'snips', false).word).toBe('Not now');
    const reading = aTick((tick) => {
      tick.quality.ready = false;
    });
    expect(trustAnswer(reading, 'snips', true).word).toBe('Not now');
    const few = aTick((tick) => {
      for (const row of tick.window.estimates) if (row.model === 'b') row.ess = 12;
    });
    expect(textOf(trustAnswer(few, 'snips', true))).toContain(
      'Fewer than 30 effective users stand behind b.',
    );
  });
});
