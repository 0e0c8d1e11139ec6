import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { plainWindow } from '../oracle/arbitrary.js';
import { evaluatedRows, weightOf } from '../oracle/evaluated.js';
import { ownLists } from '../oracle/own-lists.js';
import { DEFAULTS, estimate, type PlainWindow } from '../oracle/window.js';
import { repetitions } from '../support/repetitions.js';

/** A window whose rows were caused by lists of its models, by others or by none, and hold their item. */
const causedWindow: fc.Arbitrary<PlainWindow> = fc
  .tuple(plainWindow(), fc.array(fc.nat(5), { minLength: 200, maxLength: 200 }))
  .map(([window, picks]) => {
    let next = 0;
    for (const { rows } of window.users) {
      for (const row of rows) {
        const pick = picks[next++ % picks.length];
        if (pick < window.models.length && typeof row.ranks[pick] === 'number') row.cause = pick;
        else if (pick === 5) row.cause = 'elsewhere';
        row.served = pick === 4 ? undefined : pick % window.models.length;
      }
    }
    return window;
  });

const close = (actual: number | undefined, expected: number, what: string) => {
  if (Number.isNaN(expected)) expect(actual, what).toBeNaN();
  else expect(Math.abs((actual as number) - expected), what).toBeLessThan(1e-9);
};

describe('own shares, driven shares and the estimate without own rows', () => {
  it('equal their definitions in all forms, however users are partitioned', () => {
    const forms = fc.constantFrom('plain' as const, 'corrected' as const);
    fc.assert(
      fc.property(causedWindow, fc.boolean(), forms, (window, isSplit, userForm) => {
        const asked = { ...DEFAULTS, estimators: ['naive', 'snips'] as const, userForm };
        const options = { ...asked, feedback: 'caution' as const };
        const { results, feedback } = estimate(
          window,
          options,
          isSplit ? (user) => user % 2 : undefined,
        );
        for (const { model, metric, k, estimator, form: aggregation, ...found } of results) {
          const m = window.models.indexOf(model);
          const rows = evaluatedRows(window, m, metric, k, options);
          const weight = (item: number) =>
            estimator === 'naive' ? 1 : weightOf(window, item, options);
          const isCorrected = aggregation === 'user' && estimator === 'snips';
          const form = isCorrected && userForm === 'corrected' ? userForm : aggregation;
          const { caused, own, other } = ownLists(rows, weight, m, form);
          const what = `${model} ${metric}@${k} ${estimator} ${aggregation}`;
          if (!(feedback!.named > 0)) continue;
          // If list ids are incomplete, includes the share of the other rows that lists caused.
          const unnamed = feedback!.source === 'arms' ? feedback!.arms!.caused : 0;
          close(found.more.caused, caused + (1 - caused) * unnamed, `caused of ${what}`);
          close(found.more.own, own, `own of ${what}`);
          // In the corrected form others may weigh less than nothing: then there is no R_other.
          const left = rows.flat().every(({ cause }) => cause === m) ? 0 : 1 - own;
          if (left !== 0 && Math.abs(left) < 1e-9) continue;
          close(found.more.other, left > 0 ? Math.max(0, other) : Number.NaN, `other of ${what}`);
        }
      }),
      { numRuns: repetitions(20, 1000) },
    );
  });

  it('sum to the estimate if the cut-off is as deep as the lists', () => {
    fc.assert(
      fc.property(causedWindow, (window) => {
        const options = { metrics: ['recall' as const], ks: [50], feedback: 'caution' as const };
        const estimators = ['naive', 'snips', 'gs', 'skew', 'wtd_h'] as const;
        const { results, feedback } = estimate(window, { ...options, estimators: [...estimators] });
        if (feedback?.source !== 'named') return;
        for (const { value, more, ...rest } of results) {
          const { own = 0, other = 0 } = more;
          if (Number.isNaN(other)) continue;
          const what = `${rest.model} ${rest.estimator} ${rest.form}`;
          expect(Math.abs(value - (own + (1 - own) * other)), what).toBeLessThan(1e-9);
        }
      }),
      { numRuns: repetitions(30, 800) },
    );
  });
});

describe('estimates over organic interactions', () => {
  it('equal the estimates of a window without the driven rows', () => {
    fc.assert(
      fc.property(causedWindow, (window) => {
        const estimators = ['naive', 'snips', 'gs', 'skew', 'wtd_h'] as const;
        const options = { estimators: [...estimators], ks: [1, 3] };
        const { feedback, results } = estimate(window, { ...options, feedback: 'withhold' });
        if ((feedback?.uncaused ?? null) === null) return;
        const needed = new Set([
          window.models[0],
          ...results.flatMap(({ model, reasons }) => (reasons.length > 0 ? [model] : [])),
        ]);
        const users = window.users.map((user) => ({
          ...user,
          rows: user.rows
            .filter(
              (row) => (row.traffic ?? ['organic']).includes('organic') && row.cause === undefined,
            )
            .map((row) => ({ ...row, traffic: ['organic' as const] })),
        }));
        const alone = estimate({ ...window, users }, options);
        const named = ({ results }: Pick<typeof alone, 'results'>) =>
          new Map(
            results.map((row) => [
              `${row.model} ${row.metric} ${row.k} ${row.estimator} ${row.form}`,
              row,
            ]),
          );
        const asked = { results: alone.results.filter(({ model }) => needed.has(model)) };
        const expected = named(asked);
        const found = named(feedback!.uncaused!);
        expect([...found.keys()]).toEqual([...expected.keys()]);
        for (const [name, row] of found) {
          expect(Math.abs(row.value - expected.get(name)!.value), name).toBeLessThan(1e-9);
        }
      }),
      { numRuns: repetitions(8, 400) },
    );
  });
});

it('causes change nothing if feedback is “ignore”, and no value if it is “caution”', () => {
  fc.assert(
    fc.property(causedWindow, (window) => {
      const plain = {
        ...window,
        users: window.users.map((user) => ({
          ...user,
          rows: user.rows.map(({ cause: _c, served: _s, ...row }) => row),
        })),
      };
      const ignored = estimate(window, { feedback: 'ignore' });
      const before = estimate(plain);
      expect(ignored).toEqual(before);
      const cautioned = estimate(window, { feedback: 'caution' });
      expect(cautioned.results.map(({ value }) => value)).toEqual(
        before.results.map(({ value }) => value),
      );
    }),
    { numRuns: repetitions(8, 400) },
  );
});
