import { describe, expect, it } from 'vitest';
import { answerOf } from '../../support/ab-answer.js';
import { type AbWorld, abLog } from '../../support/ab-world.js';
import { repetitions } from '../../support/repetitions.js';

/** The arm whose users earn more by the world's construction, and what may be said instead of a verdict. */
interface Judged {
  readonly world: Omit<AbWorld, 'seed'>;
  readonly better: 'a' | 'b' | 'neither';
  /** A refusal that the world deserves. */
  readonly refused?: string;
  /** A caution that the sentence says. */
  readonly said?: string;
  readonly settings?: Readonly<Record<string, string>>;
}

const HOUR = 3_600_000;
const HALF = { 'experiment.split': '{"a":0.5,"b":0.5}' };
const SURFACES = { 'segments.dimensions': '{"surface":"exposure"}' };

const WORLDS: Readonly<Record<string, Judged>> = {
  'equal arms by user': { world: {}, better: 'neither' },
  'equal arms by user, with history': { world: { history: 5 }, better: 'neither' },
  'equal arms by request': { world: { unit: 'request' }, better: 'neither' },
  'better by user': { world: { better: () => 1.5 }, better: 'b' },
  'better by request': { world: { unit: 'request', better: () => 1.3 }, better: 'b' },
  '30 % more requests, equal each': {
    world: { users: 2000, moreLists: 1.3 },
    better: 'b',
  },
  'each request better by a quarter and a quarter fewer of them': {
    world: { moreLists: 0.75, better: () => 1 / 0.75 },
    better: 'neither',
  },
  'each request better and fewer of them, less in total': {
    world: { moreLists: 0.6, better: () => 1.2 },
    better: 'a',
  },
  'requests logged twice': { world: { twice: 0.5 }, better: 'neither' },
  'lists logged only when seen': {
    world: { isLogged: ({ arm, isClicked, chance }) => arm === 'a' || isClicked || chance < 0.6 },
    better: 'neither',
    refused: 'shares_off',
    settings: HALF,
  },
  'clicks later than the horizon in one arm, by user': {
    world: { delay: (arm, chance) => (arm === 'b' && chance < 0.4 ? 2 * HOUR : 5000) },
    better: 'neither',
  },
  'clicks later than the horizon in one arm, by request': {
    world: {
      unit: 'request',
      better: () => 1.2,
      delay: (arm, chance) => (arm === 'b' && chance < 0.5 ? 2 * HOUR : 5000),
    },
    better: 'b',
    refused: 'late_turns',
  },
  'lists cut short in the log': {
    world: { cut: { arm: 'b', items: 5 } },
    better: 'neither',
    refused: 'lists_cut',
  },
  'items out of stock in one arm': { world: { better: () => 0.6 }, better: 'a' },
  'two surfaces with different splits': {
    world: {
      hasSurfaces: true,
      shareOf: ({ surface }) => (surface === 'app' ? 0.8 : 0.4),
      better: () => 1,
    },
    better: 'neither',
    refused: 'shares_off_within',
    settings: SURFACES,
  },
  'a 5 % arm with rare purchases of 50': {
    world: {
      users: 2000,
      share: 0.05,
      purchases: { chance: 0.004, value: 50 },
    },
    better: 'neither',
    settings: { 'experiment.reward': '{"action":"purchase","by":"value"}' },
  },
  'a ramp from 1 to 50 %, shares unknown': {
    world: { users: 2000, shareOf: ({ day }) => (day < 3 ? 0.01 : 0.5) },
    better: 'neither',
    refused: 'split_changed',
  },
  'five weekdays of a weekly effect': {
    world: { days: 5, better: ({ day }) => (day < 5 ? 1.4 : 0.5) },
    better: 'b',
    said: 'part_week',
  },
  'novelty that fades': {
    world: { users: 3000, days: 10, better: ({ day }) => 1 + 1.5 * Math.exp(-day / 2) },
    better: 'b',
    said: 'shrinking',
  },
  'clicks taken from search': {
    world: { organic: 1, moved: 1, better: () => 1.3 },
    better: 'neither',
  },
  'clicks of one arm that do not name their list': {
    world: { names: (arm) => arm === 'b' },
    better: 'neither',
  },
  'a crawler in one arm': { world: { crawler: 3000 }, better: 'neither' },
  'a split stated wrongly': {
    world: { share: 0.42 },
    better: 'neither',
    refused: 'shares_off',
    settings: HALF,
  },
};

const runs = repetitions(1, 200);
/** Each run is wrong by chance with probability 5 %: the largest number to expect of 200. */
const MOST_WRONG = 16;
const found = new Map<string, { wrong: number; refused: number; right: number; said: number }>();

function judged(name: string) {
  const { world, better, refused, said, settings } = WORLDS[name]!;
  const counts = { wrong: 0, refused: 0, right: 0, said: 0 };
  for (let seed = 1; seed <= runs; seed++) {
    const { experiment } = answerOf(abLog({ ...world, seed }), settings);
    const { refusal, lifts, cautions } = experiment!;
    const named = lifts[0]!.better;
    if (named !== null && named !== better) counts.wrong++;
    const isDeserved = refusal !== null && refusal.code === refused;
    if ((named ?? 'neither') === better || isDeserved) counts.right++;
    if (refusal !== null && refusal.code !== refused) counts.refused++;
    if (cautions.some(({ code }) => code === said)) counts.said++;
  }
  found.set(name, counts);
  return counts;
}

describe('the first line of an A/B test', () => {
  it.each(Object.keys(WORLDS))(
    'is seldom wrong, and seldom refused without reason, in a world of %s',
    (name) => {
      const { wrong, refused, right, said } = judged(name);
      const { better, ...expected } = WORLDS[name]!;
      expect(wrong).toBeLessThanOrEqual((MOST_WRONG / 200) * runs);
      expect(refused).toBeLessThanOrEqual(0.1 * runs);
      expect(right).toBeGreaterThan(runs / 2);
      if (expected.said) expect(said).toBeGreaterThan(runs / 2);
    },
    600_000,
  );

  it('is wrong in at most 5.5 % of all worlds without a difference', () => {
    const equal = Object.keys(WORLDS).filter((name) => WORLDS[name]!.better === 'neither');
    const wrong = equal.reduce((sum, name) => sum + (found.get(name) ?? judged(name)).wrong, 0);
    if (process.env['UNSKEW_PRINT'] === 'worlds') {
      for (const [name, counts] of found)
        process.stdout.write(`${JSON.stringify({ name, runs, ...counts })}\n`);
    }
    expect(wrong / (equal.length * runs)).toBeLessThanOrEqual(0.055);
  });
});
