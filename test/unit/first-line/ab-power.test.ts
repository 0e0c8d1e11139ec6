import { describe, expect, it } from 'vitest';
import { answerOf } from '../../support/ab-answer.js';
import { type AbWorld, abLog } from '../../support/ab-world.js';
import { itAtNight } from '../../support/at-night.js';
import { IS_LONG, repetitions } from '../../support/repetitions.js';

const RUNS = repetitions(8, 100);
/** A difference that a test with an even split detects in three of four runs. */
const WORLD = { users: 1000, history: 5, better: () => 1.16 };
/** z of a 95 % interval. */
const Z = 1.959964;

type Log = ReturnType<typeof abLog>;

/**
 * Whether CUPED finds b better, by its Wald error alone: Y − θ (x − x̄) by arm, θ the slope within arms.
 *
 * x is ln(1 + clicks before the first list since both arms serve), Y the clicks from then on.
 */
function cupedFinds(log: Log): boolean {
  const served = log.flatMap((event) => (event.type === 'exposure' ? [event] : []));
  const start = Math.max(
    ...['a', 'b'].map((arm) => Number(served.find(({ model }) => model === arm)!.ts)),
  );
  const arms = new Map<string, { arm: string; from: number; reward: number; before: number }>();
  for (const { ts, user, model } of served) {
    if (Number(ts) < start || arms.has(user)) continue;
    arms.set(user, { arm: model, from: Number(ts), reward: 0, before: 0 });
  }
  for (const event of log) {
    const own = arms.get(event.user);
    if (event.type !== 'interaction' || own === undefined) continue;
    if (Number(event.ts) < own.from) own.before++;
    else own.reward++;
  }
  const users = [...arms.values()].map((own) => ({ ...own, x: Math.log1p(own.before) }));
  const mean = (all: readonly number[]) => all.reduce((sum, each) => sum + each, 0) / all.length;
  const by = ['a', 'b'].map((arm) => users.filter((user) => user.arm === arm));
  let cross = 0;
  let square = 0;
  for (const own of by) {
    const [x, y] = [mean(own.map((user) => user.x)), mean(own.map((user) => user.reward))];
    for (const user of own) {
      cross += (user.x - x) * (user.reward - y);
      square += (user.x - x) ** 2;
    }
  }
  const slope = square > 0 ? cross / square : 0;
  const middle = mean(users.map(({ x }) => x));
  const [a, b] = by.map((own) => {
    const adjusted = own.map(({ reward, x }) => reward - slope * (x - middle));
    const value = mean(adjusted);
    const variance = mean(adjusted.map((each) => (each - value) ** 2)) / (own.length - 1);
    return { value, variance };
  });
  return b!.value - a!.value > Z * Math.sqrt(a!.variance + b!.variance);
}

const known = new Map<number, { ours: number; cuped: number }>();

function powerAt(share: number): { readonly ours: number; readonly cuped: number } {
  const before = known.get(share);
  if (before !== undefined) return before;
  const found = { ours: 0, cuped: 0 };
  known.set(share, found);
  for (let seed = 1; seed <= RUNS; seed++) {
    const log = abLog({ ...WORLD, share, seed } satisfies AbWorld);
    if (answerOf(log).experiment!.lifts[0]!.better === 'b') found.ours++;
    if (cupedFinds(log)) found.cuped++;
  }
  if (process.env['UNSKEW_PRINT'] === 'worlds') {
    process.stdout.write(`${JSON.stringify({ share, runs: RUNS, ...found })}\n`);
  }
  return found;
}

describe('the power of an A/B test by user relative to CUPED with the Wald error', () => {
  it.each(IS_LONG ? [0.5, 0.35, 0.2] : [0.5])(
    'is at least 95 % if b has a share of %d',
    (share) => {
      const { ours, cuped } = powerAt(share);
      expect(cuped).toBeGreaterThan(RUNS / 10);
      expect(ours).toBeGreaterThanOrEqual(0.95 * cuped - repetitions(2, 0));
    },
  );

  itAtNight('is lower if b has a share of 5 % than if it has 50 %', () => {
    expect(powerAt(0.05).ours).toBeLessThan(powerAt(0.5).ours);
  });
});
