import type { PairVerdict } from '../../src/features/verdict.js';
import { judgePair, type PairMemory } from '../../src/features/verdicts/judge-pair.js';
import { ALPHA } from '../../src/features/verdicts/mixture-evidence.js';
import { type GroupSums, pairedDifference } from '../../src/features/verdicts/paired-difference.js';
import { GROUPS, groupOf } from '../../src/features/verdicts/running-sums.js';
import { seeded } from '../oracle/random.js';

/** A world of models whose true differences are known, looked at for a week. */
export interface VerdictWorld {
  readonly seed: number;
  readonly models: number;
  /** Rows a day. */
  readonly rows: number;
  readonly looksPerDay: number;
  readonly days?: number;
  readonly users?: number;
  /** Spread of what a user likes of each model, for ever. */
  readonly tastes?: number;
  /** How much better the first model is, at a time in days. */
  readonly better?: (day: number) => number;
  /** Pairs with the first model alone. */
  readonly hasControl?: boolean;
  /** K, if it is not the number of pairs. */
  readonly comparisons?: number;
  /**
   * Rewards of requests, of which an arm serves each at random, instead of gains of rows: X of an arm
   * is its reward over its share.
   */
  readonly byValue?: boolean;
}

/** One look at one pair. */
export interface SeenVerdict {
  readonly day: number;
  readonly verdict: Pick<PairVerdict, 'model' | 'reference' | 'state' | 'better'>;
  /** se since the start. */
  readonly stdErr: number;
}

const BASE = 0.3;

interface Sums {
  readonly weight: Float64Array;
  readonly gains: readonly Float64Array[];
}

/**
 * No difference of fewer errors is proved against K/α = `bar`: whatever φ is, Λ is at most
 * exp((z² − 1)/2) / z, which is its maximum over φ.
 */
function leastErrors(bar: number): number {
  let z = 1;
  while ((z * z - 1) / 2 - Math.log(z) < Math.log(bar)) z += 0.01;
  return z - 0.01;
}

/**
 * All verdicts of a world, look by look.
 *
 * @param isClearOnly leaves out pairs that are nowhere near a verdict, once their first day is over:
 *   with 64 models nearly all are.
 */
export function* verdictsIn(world: VerdictWorld, isClearOnly = false): Generator<SeenVerdict> {
  const { models, looksPerDay, days = 7, hasControl = false } = world;
  const sums = emptySums(models);
  const step = rowsInto(sums, world);
  const atLook: Sums[] = [copyOf(sums)];
  const memories = new Map<string, PairMemory>();
  const pairs = pairsOf(models, hasControl);
  const { comparisons = pairs.length } = world;
  const least = leastErrors(comparisons / ALPHA);
  for (let look = 1; look <= days * looksPerDay; look++) {
    step(look);
    atLook[look] = copyOf(sums);
    // Marks of the first day, for whole days, and of the last one.
    if (look > 2 * looksPerDay) delete atLook[look - looksPerDay];
    const whole = Math.floor(look / looksPerDay);
    if (whole < 1) continue;
    const lastDay = look === looksPerDay ? sums : undefined;
    const clear =
      isClearOnly && lastDay === undefined ? clearPairs(sums, pairs, memories, least) : pairs;
    if (clear.length === 0) continue;
    const wholeSums = since(sums, atLook[look - whole * looksPerDay]!);
    for (const [m, n] of clear) {
      const all = differenceOf(sums, m, n);
      const judged = judgePair(
        {
          ...{ model: `m${m}`, reference: `m${n}`, gammas: [1], since: [all] },
          wholeDays: [differenceOf(wholeSums, m, n)],
          lastDay: lastDay && all,
          ...{
            uncorrected: all,
            rung: 'experiment' as const,
            objection: null,
            comparisons,
            marginShare: 1e-9,
          },
        },
        memories.get(`${m} ${n}`),
      );
      if (judged.memory) memories.set(`${m} ${n}`, judged.memory);
      yield { day: look / looksPerDay, verdict: judged.verdict, stdErr: all.stdErr };
    }
  }
}

/** Whether a model is ever preferred. */
export function isEverPreferred(world: VerdictWorld): boolean {
  for (const { verdict } of verdictsIn(world, true)) if (verdict.state === 'prefer') return true;
  return false;
}

/** Pairs whose |D| is at least so many errors, and those for which a difference stands. */
function clearPairs(
  { weight, gains }: Sums,
  pairs: readonly [number, number][],
  memories: Map<string, PairMemory>,
  least: number,
): [number, number][] {
  const dot = (a: Float64Array, b: Float64Array): number => {
    let sum = 0;
    for (let g = 0; g < GROUPS; g++) sum += a[g]! * b[g]!;
    return sum;
  };
  const total = weight.reduce((sum, own) => sum + own, 0);
  const mean = gains.map((gain) => gain.reduce((sum, own) => sum + own, 0) / total);
  // What is left of a group's gain beyond its share: ψ of a pair is the difference of two.
  const left = gains.map((gain, m) => {
    const own = new Float64Array(GROUPS);
    for (let g = 0; g < GROUPS; g++) own[g] = gain[g]! - mean[m]! * weight[g]!;
    return own;
  });
  const squares = left.map((own) => dot(own, own));
  return pairs.filter(([m, n]) => {
    const variance = squares[m]! + squares[n]! - 2 * dot(left[m]!, left[n]!);
    const isClear = Math.abs(mean[m]! - mean[n]!) * total >= least * Math.sqrt(variance);
    return isClear || (memories.get(`${m} ${n}`)?.standing ?? 0) !== 0;
  });
}

/** Whether the plain 95 % interval since the start is ever clear of 0, in a world of two models. */
export function isEverClear(world: VerdictWorld): boolean {
  const sums = emptySums(2);
  const step = rowsInto(sums, world);
  const { looksPerDay, days = 7 } = world;
  for (let look = 1; look <= days * looksPerDay; look++) {
    step(look);
    const { value, stdErr } = differenceOf(sums, 0, 1);
    if (look >= looksPerDay && Math.abs(value) > 1.96 * stdErr) return true;
  }
  return false;
}

function emptySums(models: number): Sums {
  const gains = Array.from({ length: models }, () => new Float64Array(GROUPS));
  return { weight: new Float64Array(GROUPS), gains };
}

function copyOf({ weight, gains }: Sums): Sums {
  return { weight: weight.slice(), gains: gains.map((gain) => gain.slice()) };
}

function since({ weight, gains }: Sums, mark: Sums): Sums {
  return {
    weight: weight.map((sum, g) => sum - mark.weight[g]!),
    gains: gains.map((gain, m) => gain.map((sum, g) => sum - mark.gains[m]![g]!)),
  };
}

function differenceOf({ weight, gains }: Sums, m: number, n: number) {
  const of = (model: number): GroupSums => ({ weight, gain: gains[model]! });
  return pairedDifference(of(m), of(n));
}

function pairsOf(models: number, hasControl: boolean): [number, number][] {
  const all: [number, number][] = [];
  for (let n = 0; n < (hasControl ? 1 : models); n++) {
    for (let m = n + 1; m < models; m++) all.push([m, n]);
  }
  return all;
}

/** Adds the rows between two looks: users come back, and their tastes last. */
function rowsInto({ weight, gains }: Sums, world: VerdictWorld): (look: number) => void {
  const { seed, models, rows, looksPerDay, users = 2000, tastes = 0.1, byValue = false } = world;
  const { better = () => 0 } = world;
  const random = seeded(seed);
  // A sum of uniforms has the spread of one normal number, near enough.
  const normal = () => (random() + random() + random() + random() - 2) * Math.sqrt(3);
  const taste = Float64Array.from(
    { length: tastes === 0 ? 0 : users * models },
    () => tastes * normal(),
  );
  return (look) => {
    const day = look / looksPerDay;
    for (let row = 0; row < rows / looksPerDay; row++) {
      const user = Math.floor(random() * users);
      const group = groupOf(user);
      // Importance weights of which few are large.
      const w = byValue ? 1 : random() ** -0.4;
      const served = byValue ? Math.floor(random() * models) : -1;
      weight[group]! += w;
      for (let m = 0; m < models; m++) {
        if (byValue && m !== served) continue;
        const chance = BASE + (taste[user * models + m] ?? 0) + (m === 0 ? better(day) : 0);
        if (random() < chance) gains[m]![group]! += byValue ? models : w;
      }
    }
  };
}
