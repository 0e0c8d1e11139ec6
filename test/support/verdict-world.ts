import { ALPHA, type Forms, type Measured } from '../../src/estimators/evidence/anchored-rule.js';
import { judgePair } from '../../src/features/judge.js';
import type { PairVerdict } from '../../src/features/verdict.js';
import type { PairMemory } from '../../src/features/verdicts/judge-models.js';
import { type GroupSums, pairedDifference } from '../../src/features/verdicts/paired-difference.js';
import { GROUPS, groupOf } from '../../src/features/verdicts/running-sums.js';
import { REQUEST_CLUSTERS } from '../../src/state/requests/pane-requests.js';
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
  /** Spread of each user's lasting taste for each model. */
  readonly tastes?: number;
  /** How much better the first model is, at a time in days. */
  readonly better?: (day: number) => number;
  /** Pairs with the first model alone. */
  readonly hasControl?: boolean;
  /** K, if it is not the number of pairs. */
  readonly comparisons?: number;
  /** Rewards of requests, of which an arm serves each at random, instead of gains of rows. */
  readonly byValue?: boolean;
  /** Share of the rewards that stand above the first place where lists differ; without, nothing is said of it. */
  readonly above?: number;
  /** The same rewards, with nothing said of where they stand. */
  readonly isAnchorOnly?: boolean;
  /** What the first model gains above it, and loses below: users choose by the whole list. */
  readonly bias?: number;
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
  /** By model; of rows that all rank the same one. */
  readonly weights: readonly Float64Array[];
  readonly gains: readonly Float64Array[];
  /** From the first place on where lists differ. */
  readonly below: readonly Float64Array[];
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
  const isCut = world.above !== undefined && world.isAnchorOnly !== true;
  const sums = emptySums(world);
  const step = rowsInto(sums, world);
  const atLook: Sums[] = [copyOf(sums)];
  const memories = new Map<string, Pick<PairMemory, 'standing'> & { forms: Forms }>();
  const pairs = pairsOf(models, hasControl);
  const { comparisons = pairs.length } = world;
  const least = leastErrors(comparisons / (isCut ? 2 : 1) / ALPHA);
  for (let look = 1; look <= days * looksPerDay; look++) {
    step(look);
    atLook[look] = copyOf(sums);
    // Marks of the first day, for whole days, and of the last one.
    if (look > 2 * looksPerDay) delete atLook[look - looksPerDay];
    const whole = Math.floor(look / looksPerDay);
    if (whole < 1) continue;
    const isFirst = look === looksPerDay;
    const clear = isClearOnly && !isFirst ? clearPairs(sums, pairs, memories, least) : pairs;
    if (clear.length === 0) continue;
    const wholeSums = since(sums, atLook[look - whole * looksPerDay]!);
    for (const [m, n] of clear) {
      const of = (from: Sums) => formsOf(from, m, n, isCut);
      const name = `${m} ${n}`;
      const memory = memories.get(name) ?? { forms: of(sums), standing: 0 };
      const all = withSpreads(of(sums), memory.forms);
      const verdict = judgePair(
        [
          {
            model: `m${m}`,
            reference: `m${n}`,
            measure: { metric: 'value', k: null },
            ...all,
            rung: 'experiment',
            objection: null,
            margin: 1e-9,
            ess: 99,
            watched: {
              also: [withSpreads(of(wholeSums), memory.forms)],
              lastDay: isFirst ? all.anchor : undefined,
              standing: memory.standing,
            },
          },
        ],
        comparisons,
        { from: 0, to: look },
      );
      const standing = verdict.better === null ? 0 : verdict.better === `m${m}` ? 1 : -1;
      memories.set(name, { ...memory, standing });
      yield { day: look / looksPerDay, verdict, stdErr: all.anchor.stdErr };
    }
  }
}

function formsOf(sums: Sums, m: number, n: number, isCut: boolean): Forms {
  const of = (gainOf: (model: number) => Float64Array): Measured => {
    const own = (model: number): GroupSums => ({
      weight: sums.weights[model]!,
      gain: gainOf(model),
    });
    const { value, stdErr, ess, groups } = pairedDifference(own(m), own(n));
    return { value, stdErr, freedom: Math.min(ess, groups) - 1 };
  };
  const anchor = of((model) => sums.gains[model]!);
  if (!isCut) return { anchor };
  const apart = of((model) => sums.gains[model]!.map((gain, g) => gain - sums.below[model]![g]!));
  return { anchor, sharper: { form: of((model) => sums.below[model]!), apart } };
}

/** With φ: twice the errors of the first day. */
function withSpreads({ anchor, sharper }: Forms, first: Forms): Forms {
  const spread = (form: Measured, { stdErr }: Measured) => ({ ...form, spread: 2 * stdErr });
  return {
    anchor: spread(anchor, first.anchor),
    sharper: sharper && { ...sharper, form: spread(sharper.form, first.sharper!.form) },
  };
}

/** Whether a model is ever preferred. */
export function isEverPreferred(world: VerdictWorld): boolean {
  for (const { verdict } of verdictsIn(world, true)) if (verdict.state === 'prefer') return true;
  return false;
}

/** Pairs whose |D| is at least so many errors, and those for which a difference stands. */
function clearPairs(
  { weights, gains }: Sums,
  pairs: readonly [number, number][],
  memories: ReadonlyMap<string, Pick<PairMemory, 'standing'>>,
  least: number,
): [number, number][] {
  const dot = (a: Float64Array, b: Float64Array): number => {
    let sum = 0;
    for (let g = 0; g < a.length; g++) sum += a[g]! * b[g]!;
    return sum;
  };
  const sum = (of: Float64Array) => of.reduce((total, own) => total + own, 0);
  const mean = gains.map((gain, m) => sum(gain) / sum(weights[m]!));
  // What is left of a group's gain beyond its share: ψ of a pair is the difference of two.
  const left = gains.map((gain, m) => {
    const total = sum(weights[m]!);
    return gain.map((own, g) => (own - mean[m]! * weights[m]![g]!) / total);
  });
  const squares = left.map((own) => dot(own, own));
  return pairs.filter(([m, n]) => {
    const variance = squares[m]! + squares[n]! - 2 * dot(left[m]!, left[n]!);
    const isClear = Math.abs(mean[m]! - mean[n]!) >= least * Math.sqrt(variance);
    return isClear || (memories.get(`${m} ${n}`)?.standing ?? 0) !== 0;
  });
}

/** Whether the plain 95 % interval since the start ever excludes 0, in a world of two models. */
export function isEverClear(world: VerdictWorld): boolean {
  const sums = emptySums(world);
  const step = rowsInto(sums, world);
  const { looksPerDay, days = 7 } = world;
  for (let look = 1; look <= days * looksPerDay; look++) {
    step(look);
    const { value, stdErr } = formsOf(sums, 0, 1, false).anchor;
    if (look >= looksPerDay && Math.abs(value) > 1.96 * stdErr) return true;
  }
  return false;
}

function emptySums({ models, byValue = false }: VerdictWorld): Sums {
  const columns = () =>
    Array.from({ length: models }, () => new Float64Array(byValue ? REQUEST_CLUSTERS : GROUPS));
  const weights = columns();
  const gains = columns();
  const below = columns();
  return { weights: byValue ? weights : weights.map(() => weights[0]!), gains, below };
}

/** The same of each column; one that several share is shared again. */
function mapped(
  sums: Sums,
  of: (column: Float64Array, name: keyof Sums, m: number) => Float64Array,
) {
  const isShared = sums.weights[0] === sums.weights[1];
  const [first] = sums.weights.map((own, m) => (m > 0 && isShared ? own : of(own, 'weights', m)));
  return {
    weights: sums.weights.map((own, m) => (isShared || m === 0 ? first! : of(own, 'weights', m))),
    gains: sums.gains.map((own, m) => of(own, 'gains', m)),
    below: sums.below.map((own, m) => of(own, 'below', m)),
  };
}

function copyOf(sums: Sums): Sums {
  return mapped(sums, (column) => column.slice());
}

function since(sums: Sums, mark: Sums): Sums {
  return mapped(sums, (column, name, m) => column.map((sum, g) => sum - mark[name][m]![g]!));
}

function pairsOf(models: number, hasControl: boolean): [number, number][] {
  const all: [number, number][] = [];
  for (let n = 0; n < (hasControl ? 1 : models); n++) {
    for (let m = n + 1; m < models; m++) all.push([m, n]);
  }
  return all;
}

/** Adds the rows between two looks: users come back, and their tastes last. */
function rowsInto({ weights, gains, below }: Sums, world: VerdictWorld): (look: number) => void {
  const { seed, models, rows, looksPerDay, users = 2000, tastes = 0.1, byValue = false } = world;
  const { better = () => 0, above = 0, bias = 0 } = world;
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
      const group = byValue ? groupOf(user) % REQUEST_CLUSTERS : groupOf(user);
      // Importance weights of which few are large.
      const w = byValue ? 1 : random() ** -0.4;
      const served = byValue ? Math.floor(random() * models) : -1;
      weights[Math.max(0, served)]![group]! += w;
      for (let m = 0; m < models; m++) {
        if (byValue && m !== served) continue;
        const chance = BASE + (taste[user * models + m] ?? 0) + (m === 0 ? better(day) : 0);
        const top = above * BASE;
        const rest = chance - above * BASE;
        const moved = m === 0 ? bias : 0;
        const found = random() < rest - moved ? w : 0;
        if (above > 0 && random() < top + moved) gains[m]![group]! += w;
        gains[m]![group]! += found;
        below[m]![group]! += found;
      }
    }
  };
}
