import { expect, test } from 'vitest';
import { Random } from '../../../src/estimators/mathematics/random.js';
import { LoggingPolicy } from '../../../src/simulation/logging-policy.js';
import { DEFAULT_OPTIONS } from '../../../src/simulation/options.js';
import { createWorld } from '../../../src/simulation/world.js';

const options = {
  ...DEFAULT_OPTIONS,
  items: 20,
  relevantPerUser: 5,
  shownLength: 3,
  periodMs: 100,
};
const world = createWorld(options, new Random(1, 'world'));

/** How often each item is shown in 5,000 lists, per list. */
function shares(policy: LoggingPolicy): number[] {
  const random = new Random(9, 'lists');
  const seen = new Array<number>(20).fill(0);
  for (let list = 0; list < 5000; list++) for (const item of policy.draw(random)) seen[item]++;
  return seen.map((n) => n / 5000);
}

/** Within 4.5 deviations of the difference of two shares of 5,000. */
function expectAlike(one: number[], other: number[]): void {
  one.forEach((share, item) => {
    expect(Math.abs(share - other[item])).toBeLessThan(4.5 * Math.sqrt(0.5 / 5000));
  });
}

function countFor(policy: LoggingPolicy): void {
  for (let item = 0; item < 10; item++) {
    for (let n = 0; n <= item; n++) policy.countPositive(item);
  }
}

test('the counts of a period take effect in the next period', () => {
  const policy = new LoggingPolicy(world, options);
  const before = shares(policy);
  countFor(policy);
  policy.advanceTo(options.startMs + 99);
  expectAlike(shares(policy), before);
  policy.advanceTo(options.startMs + 100);
  const after = shares(policy);
  // γ = 2 on the counts 1 to 10 and three places: 3 · 100/385 < 1, so nothing is capped.
  for (let item = 0; item < 10; item++) {
    expect(Math.abs(after[item] - (3 * (item + 1) ** 2) / 385)).toBeLessThan(0.03);
  }
  for (let item = 10; item < 20; item++) expect(after[item]).toBe(0);
});

test('periods without traffic are skipped', () => {
  const policy = new LoggingPolicy(world, options);
  countFor(policy);
  policy.advanceTo(options.startMs + 1_234);
  const after = shares(policy);
  for (let n = 0; n < 50; n++) policy.countPositive(19);
  policy.advanceTo(options.startMs + 1_299);
  expectAlike(shares(policy), after);
  policy.advanceTo(options.startMs + 1_300);
  expect(shares(policy)[19]).toBe(1);
});

test('a list holds distinct items, the most popular first', () => {
  const policy = new LoggingPolicy(world, options);
  countFor(policy);
  policy.advanceTo(options.startMs + 100);
  const random = new Random(3, 'lists');
  for (let list = 0; list < 200; list++) {
    const drawn = policy.draw(random);
    expect(new Set(drawn).size).toBe(3);
    // The counts rise with the index.
    expect(drawn).toEqual([...drawn].sort((a, b) => b - a));
  }
});
