import { describe, expect, it } from 'vitest';
import { type LiveTick, liveTick } from '../../../src/outputs/http/schema/live-tick.js';
import {
  type Answer,
  flatteredAnswer,
  growthAnswer,
  trustAnswer,
} from '../../../src/page/answers.js';
import { SeriesTable } from '../../../src/page/charts/series-table.js';
import { plainText } from '../../../src/rows/findings/sentence.js';
import { stateOf } from '../../../src/rows/findings/state.js';
import { wordedStates } from '../../../src/rows/findings/state-words.js';
import type { Snapshot } from '../../../src/stream/snapshot.js';
import { makeSnapshot } from '../../fixtures/snapshot.js';
import { feedbackReport } from '../../support/feedback-report.js';
import { QUALITY } from '../../support/http-server.js';
import { withheldOf } from '../../support/rows.js';

const MINUTE = 60_000;
const CUT = wordedStates([stateOf('stream_cut', { shownTo: null })]);

function textOf({ sentence }: Answer): string {
  return plainText(sentence);
}

type Changeable<T> = { -readonly [Key in keyof T]: Changeable<T[Key]> };

/** What a tick is made from. */
interface Draft {
  readonly snapshot: Changeable<Snapshot>;
  readonly window: Changeable<Snapshot['windows'][number]>;
  readonly quality: Changeable<typeof QUALITY>;
  readonly query: { aggregation?: 'user' | 'pooled' };
}

/** A tick of which nothing speaks against the numbers, with changes. */
function aTick(change: (draft: Draft) => void = () => {}): LiveTick {
  const snapshot = copyOf<Snapshot>(makeSnapshot({ models: ['a', 'b', 'c'] }));
  const quality = copyOf(QUALITY);
  const [window] = snapshot.windows;
  quality.topics[0].faults = {};
  snapshot.propensity = { ...snapshot.propensity, source: 'fit', gammaStdErr: 0.02 };
  for (const row of window.results) row.ess = 500;
  for (const model of window.models) model.singletonUserRatio = 0.02;
  for (const size of window.effectiveSampleSizes) size.largestShare = 0.01;
  const query = {};
  change({ snapshot, window, quality, query });
  return JSON.parse(JSON.stringify(liveTick(snapshot, quality, query))) as LiveTick;
}

function copyOf<T>(value: T): Changeable<T> {
  return JSON.parse(JSON.stringify(value)) as Changeable<T>;
}

/** Values of naive and snips, with the half width of snips' interval. */
function estimates(values: Readonly<Record<string, readonly [number, number, number]>>): LiveTick {
  return aTick(({ snapshot, window }) => {
    snapshot.models = Object.keys(values);
    const [first] = window.results;
    window.results = snapshot.models.flatMap((model) => {
      const [naive, value, half] = values[model];
      const row = { ...first, form: 'pooled' as const, model, stdErr: half / 2, ess: 500 };
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
    const answer = flatteredAnswer(tick, 'snips', []);
    expect(answer).toMatchObject({ tone: 'care', word: 'a' });
    expect(textOf(answer)).toContain('drops from 0.400 to 0.100 (−75\u00a0%). ');
    expect(textOf(answer)).toContain('b looks better than it is, too.');
    expect(textOf(answer)).toContain('Uncorrected, a wins; corrected, b wins.');
    expect(textOf(answer)).not.toContain('c ');
  });

  it('names none where naive lies within the interval or below it', () => {
    const tick = estimates({ a: [0.22, 0.2, 0.05], b: [0.1, 0.3, 0.05] });
    const answer = flatteredAnswer(tick, 'snips', []);
    expect(answer).toMatchObject({ tone: 'good', word: 'None' });
  });

  it('says that the order stays where it does', () => {
    const tick = estimates({ a: [0.4, 0.3, 0.01], b: [0.3, 0.2, 0.01] });
    expect(textOf(flatteredAnswer(tick, 'snips', []))).toContain('a wins, corrected or not.');
  });

  it('has nothing to say without estimates', () => {
    expect(flatteredAnswer(estimates({}), 'snips', []).tone).toBe('unknown');
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
    const answer = growthAnswer(aTick(), ginis(ramp(0.3, 0.4)), 0, []);
    expect(answer).toMatchObject({ tone: 'care', word: 'Yes' });
    // Medians of the first and the last ten of fifty: 4.5 steps from either end.
    expect(textOf(answer)).toContain('what a shows went from 0.309 to 0.391 since 00:00');
  });

  it('no where it shrinks or stays', () => {
    const shrinking = growthAnswer(aTick(), ginis(ramp(0.4, 0.3), null), 0, []);
    expect(shrinking).toMatchObject({ tone: 'good', word: 'No, it is shrinking' });
    expect(textOf(shrinking)).toContain('interactions');
    expect(growthAnswer(aTick(), ginis(ramp(0.3, 0.305)), 0, []).word).toBe('No, it is steady');
  });

  it('is not misled by a single tick that is off', () => {
    const values = ramp(0.3, 0.3);
    values[49] = 0.9;
    expect(growthAnswer(aTick(), ginis(values), 0, []).word).toBe('No, it is steady');
  });

  it('looks at the shown span alone, and waits for enough of it', () => {
    const table = ginis(ramp(0.3, 0.4));
    expect(growthAnswer(aTick(), table, 45 * MINUTE, []).word).toBe('Too early to say');
    expect(textOf(growthAnswer(aTick(), table, 45 * MINUTE, []))).toContain('there are 5 so far');
    expect(textOf(growthAnswer(aTick(), table, 10 * MINUTE, []))).toContain('since 00:10');
  });
});

describe('estimates that are withheld', () => {
  const withheld = aTick((draft) => {
    for (const row of draft.window.results) Object.assign(row, withheldOf(row, 'caused_by_lists'));
    draft.window.feedback = feedbackReport(0.5) as Draft['window']['feedback'] & object;
  });

  it('flatter nobody: it is said that they are withheld, and that nothing is to be decided', () => {
    expect(textOf(flatteredAnswer(withheld, 'snips', []))).toContain('are withheld');
    const trust = trustAnswer(withheld, []);
    expect(trust.word).toBe('No');
    expect(textOf(trust)).toContain('Shown lists caused 50\u00a0% of the positive pairs');
  });

  it('are led by what stands in their place, which is said', () => {
    const led = (leads: 'estimates' | 'uncaused' | 'on_policy') =>
      textOf(flatteredAnswer({ ...withheld, window: { ...withheld.window, leads } }, 'snips', []));
    expect(led('uncaused')).toContain('What users found by themselves leads instead.');
    expect(led('on_policy')).toContain('What shown lists are worth leads instead.');
    expect(led('estimates')).not.toContain('leads');
  });
});

describe('can these numbers be trusted', () => {
  /** Causes are followed and none are found, and little of the weight is on rare items. */
  const sound = ({ window }: Draft) => {
    window.singleCountShare = 0.01;
    window.feedback = feedbackReport(0, { source: 'arms' }) as Draft['window']['feedback'] & object;
  };
  const inTick = (change: (draft: Draft) => void) =>
    aTick((draft) => {
      sound(draft);
      change(draft);
    });

  it('yes where nothing speaks against it', () => {
    const answer = trustAnswer(aTick(sound), []);
    expect(answer).toMatchObject({ tone: 'good', word: 'Yes' });
    expect(textOf(answer)).toContain('The effective sample size is at least 500 users');
  });

  it.each([
    [
      'γ that is not fitted',
      ({ snapshot: { propensity } }: Draft) => {
        propensity.source = 'assumed';
        propensity.fits['*'].status = 'too_few_levels';
      },
      'too few levels',
    ],
    [
      'a fixed γ that the exposures deny',
      ({ snapshot: { propensity } }: Draft) => {
        propensity.source = 'fixed';
        propensity.fits['*'].status = 'ok';
        propensity.fits['*'].ols = { gamma: 1, stdErr: 0.05, r2: 1, intercept: 0 };
      },
      'γ is fixed at 2.00; a fit to the exposures gives 1.00 ± 0.05, 20.0 standard errors away',
    ],
    [
      'much weight on items that were counted once',
      ({ window }: Draft) => {
        window.singleCountShare = 0.3;
      },
      'Items that were counted once hold 30\u00a0% of all the weight',
    ],
  ])('for comparisons only, for %s', (_, change, words) => {
    const answer = trustAnswer(inTick(change), []);
    expect(answer).toMatchObject({ tone: 'care', word: 'Comparisons only' });
    expect(textOf(answer)).toContain(words);
  });

  it.each([
    [
      'many pairs without a list',
      ({ window }: Draft) => {
        window.models[0].unranked = window.models[0].events;
      },
      '50\u00a0% of the positive pairs have no list of a',
    ],
    [
      'faulty events',
      ({ quality }: Draft) => {
        quality.topics[0] = { ...quality.topics[0], faults: { not_json: 9884 } };
      },
      '9,884 faulty events (50.0\u00a0%) were left out',
    ],
    [
      'users with one event, in a mean over users',
      ({ query, window }: Draft) => {
        query.aggregation = 'user';
        window.models[1].singletonUserRatio = 0.8;
      },
      '80\u00a0% of the users of b, because they have one event',
    ],
  ])('with care, for %s', (_, change, words) => {
    const answer = trustAnswer(inTick(change), []);
    expect(answer).toMatchObject({ tone: 'care', word: 'Yes' });
    expect(textOf(answer)).toContain(words);
  });

  it('not where the leader changes and nothing tells γ', () => {
    const flip = { below: 'a', above: 'b', gamma: 0.31, isOfLeaders: true };
    const answer = trustAnswer(
      inTick(({ snapshot: { propensity }, window }) => {
        propensity.source = 'assumed';
        window.sensitivity = [{ metric: 'recall', k: 5, bands: [], tails: [], flips: [flip] }];
      }),
      [],
    );
    expect(answer).toMatchObject({ tone: 'bad', word: 'No' });
    expect(textOf(answer)).toMatch(
      /^a and b change places at γ = 0\.31 \(recall@5\)\. γ was not fitted/,
    );
  });

  it('not while the stream is cut, the log is being read, or users are few', () => {
    expect(trustAnswer(aTick(sound), CUT).word).toBe('No');
    const reading = inTick(({ quality }) => {
      quality.ready = false;
      quality.checks = [{ name: 'caught_up', ok: false }];
    });
    expect(trustAnswer(reading, []).word).toBe('No');
    const few = inTick(({ window }) => {
      for (const row of window.results) if (row.model === 'b') row.ess = 12;
    });
    expect(textOf(trustAnswer(few, []))).toContain(
      'for b has an effective sample size of 12.0 users: decide nothing below 30.',
    );
  });

  it('gives three reasons, and the others apart', () => {
    const many = inTick(({ snapshot, window }) => {
      snapshot.models = [...'abcdefgh'];
      const [first] = window.results;
      window.results = snapshot.models.map((model) => ({
        ...{ ...first, model, estimator: 'snips', form: 'pooled', ess: 12 },
      }));
    });
    const { sentence, more = [] } = trustAnswer(many, []);
    const given = many.window.trust.reasons.map(({ text }) => text.toLowerCase());
    expect(given.length).toBeGreaterThan(8);
    expect(plainText(sentence).toLowerCase()).toBe(given.slice(0, 3).join(' '));
    expect(more.map((text) => text.toLowerCase())).toEqual(given.slice(3));
  });
});
