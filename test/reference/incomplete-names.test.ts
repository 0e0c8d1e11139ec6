import { describe, expect, it } from 'vitest';
import { isDoubtful, reasonOf } from '../../src/rows/reading.js';
import { seeded } from '../oracle/random.js';
import { estimate, type PlainWindow } from '../oracle/window.js';
import { IS_LONG, repetitions } from '../support/repetitions.js';
import { simulatedLists } from './simulated-lists.js';

const WORLD = {
  items: 200,
  arms: 2,
  rankers: ['popular', 'personal', 'blend'] as const,
};
const ASKED = { metrics: ['recall' as const], ks: [10], estimators: ['snips' as const] };

const known = new Map<string, PlainWindow>();
/** Lists of a world, made once in the short form. */
function windowOf(options: Parameters<typeof simulatedLists>[0]): PlainWindow {
  const key = JSON.stringify(options);
  const window = known.get(key) ?? simulatedLists(options).window;
  if (!IS_LONG) known.set(key, window);
  return window;
}

/** A log in which only some of the interactions that lists caused name them. */
function logOf(
  causedShare: number,
  users: number,
  seed: number,
  namedOfCaused = 0,
  relevantPerUser = 60,
): PlainWindow {
  const window = windowOf({ ...WORLD, users, causedShare, seed, relevantPerUser });
  const random = seeded(seed);
  const named = <Row extends { cause?: unknown }>(row: Row): Row =>
    random() < namedOfCaused ? row : { ...row, cause: undefined };
  return {
    ...window,
    users: window.users.map((user) => ({ ...user, rows: user.rows.map(named) })),
  };
}

const judged = (window: PlainWindow) => {
  const { results, feedback } = estimate(window, { ...ASKED, feedback: 'withhold' });
  return { results, feedback: feedback! };
};

describe('if only 1 % of driven interactions are attributed', () => {
  const logs = Array.from({ length: repetitions(2, 40) }, (_, seed) =>
    judged(logOf(0.5, 800, 300 + seed, 0.01)),
  );

  it('the driven share is estimated from the served arms, and all estimates are withheld', () => {
    for (const { results, feedback } of logs) {
      expect(feedback.source).toBe('arms');
      expect(feedback.named).toBeLessThan(0.02);
      expect(Math.abs(feedback.caused - 0.5)).toBeLessThan(0.04 + 3 * 0.013);
      expect(new Set(results.map(reasonOf))).toEqual(new Set(['caused_by_lists']));
    }
  });

  it('no interactions are reported as organic', () => {
    for (const { feedback } of logs) expect(feedback.uncaused).toBeNull();
  });
});

it('half of the attributions suffice for the driven share and shares of own lists', () => {
  for (let seed = 0; seed < repetitions(2, 40); seed++) {
    const { feedback, results } = judged(logOf(0.5, 800, 300 + seed, 0.5));
    expect(feedback.source).toBe('arms');
    expect(Math.abs(feedback.named - 0.25)).toBeLessThan(0.03);
    expect(Math.abs(feedback.caused - 0.5)).toBeLessThan(0.04 + 3 * 0.013);
    const owns = results.map(({ more: { own } }) => own as number);
    expect(Math.max(...owns)).toBeGreaterThan(0.05);
  }
});

it('complete attributions decide, and unattributed rows count as organic', () => {
  for (let seed = 0; seed < repetitions(2, 40); seed++) {
    for (const share of [0.05, 0.5]) {
      const { feedback } = judged(logOf(share, 800, 300 + seed, 1));
      expect(feedback.source).toBe('named');
      expect(feedback.caused).toBe(feedback.named);
      expect(feedback.uncaused).not.toBeNull();
      const { caused, stdErr } = feedback.arms!;
      expect(Math.abs(caused)).toBeLessThan(4 * stdErr);
    }
  }
});

describe('small logs without driven or attributed interactions', () => {
  const found = Array.from({ length: repetitions(60, 1000) }, (_, seed) =>
    // Ten relevant items a user: 150 pairs, of which a tenth stands in a list.
    judged(logOf(0, 100, 5000 + seed, 0, 10)),
  );
  const kappas = found.map(({ feedback }) => feedback.arms!.caused);

  it('are withheld in at most 3 % of cases, although κ̂ exceeds .10 more often', () => {
    const withheld = found.filter(({ results }) => results.some((row) => reasonOf(row) !== null));
    expect(withheld.length / found.length).toBeLessThanOrEqual(0.03);
    const above = kappas.filter((kappa) => kappa > 0.1).length / found.length;
    expect(above).toBeGreaterThan(0.03);
  });

  it('are rarely reported without caution, since too few lists were served', () => {
    const free = found.filter(({ results }) => results.every((row) => !isDoubtful(row)));
    expect(free.length / found.length).toBeLessThan(0.1);
  });

  it('have a standard error of κ̂ equal to its spread', () => {
    const mean = kappas.reduce((a, b) => a + b, 0) / kappas.length;
    const spread = Math.sqrt(
      kappas.reduce((sum, kappa) => sum + (kappa - mean) ** 2, 0) / (kappas.length - 1),
    );
    const errors = found.map(({ feedback }) => feedback.arms!.stdErr);
    const error = errors.reduce((a, b) => a + b, 0) / errors.length;
    // A spread of 60 logs is known to 9 %.
    expect(Math.abs(error / spread - 1)).toBeLessThan(repetitions(0.25, 0.1));
  });
});

it('the standard error of κ̂ equals that of a jackknife over users', () => {
  for (const [share, seed] of [
    [0, 1],
    [0.2, 2],
    [0.9, 3],
  ] as const) {
    const window = logOf(share, 150, seed);
    const { arms } = judged(window).feedback;
    const without = window.users.map((_, u) => kappa(window.users.filter((_, v) => v !== u)));
    const mean = without.reduce((a, b) => a + b, 0) / without.length;
    const squares = without.reduce((sum, each) => sum + (each - mean) ** 2, 0);
    const jackknife = Math.sqrt(((without.length - 1) / without.length) * squares);
    expect(kappa(window.users)).toBeCloseTo(arms!.caused, 12);
    expect(Math.abs(arms!.stdErr / jackknife - 1)).toBeLessThan(0.05);
  }
});

/** By the definition, of the two arms. Their lists are ten deep. */
function kappa(users: PlainWindow['users']): number {
  const rows = users.flatMap((user) => user.rows);
  const arms = [...new Set(rows.map(({ served }) => served))].filter((arm) => arm !== undefined);
  const parts = arms.map((arm) => {
    const rate = (own: boolean) => {
      const of = rows.filter(({ served }) => served !== undefined && (served === arm) === own);
      return {
        rows: of.length,
        rate: of.filter(({ ranks }) => inList(ranks[arm])).length / of.length,
      };
    };
    const shown = rate(true);
    const hidden = rate(false);
    return { rows: shown.rows, caused: (shown.rate - hidden.rate) / (1 - hidden.rate) };
  });
  const all = parts.reduce((sum, arm) => sum + arm.rows, 0);
  return parts.reduce((sum, arm) => sum + arm.caused * arm.rows, 0) / all;
}

function inList(rank: number | 'absent' | 'unranked' | undefined): boolean {
  return typeof rank === 'number';
}

it('κ̂ is biased upwards if users choose their arm', () => {
  // What the rule cannot see. Users with a find in the list of `personal` stay with it.
  const window = logOf(0, 400, 7);
  const personal = window.models.indexOf('personal');
  const users = window.users.map((user) => {
    const likes = user.rows.filter(({ ranks }) => inList(ranks[personal])).length;
    const served = likes >= 2 ? personal : window.models.indexOf('popular');
    return { ...user, rows: user.rows.map((row) => ({ ...row, served })) };
  });
  expect(judged({ ...window, users }).feedback.arms!.caused).toBeGreaterThan(0.05);
});
