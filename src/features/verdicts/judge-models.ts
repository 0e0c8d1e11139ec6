import { metricName } from '../../rows/words.js';
import { dueWindows, type Snapshot } from '../../stream/snapshot.js';
import type { Objection } from '../evidence.js';
import type { PairVerdict } from '../verdict.js';
import type { DecisionMarks } from './decision-marks.js';
import type { DecisionOptions } from './decision-options.js';
import { forecastOf } from './forecast.js';
import { judgePair, type PairLook, type PairMemory } from './judge-pair.js';
import type { Measure } from './measure.js';
import type { ModelEpoch, ModelEpochs } from './model-epochs.js';
import { type PairedDifference, pairedDifference } from './paired-difference.js';
import {
  type Mark,
  type MutableSums,
  type RunningSums,
  roomForSums,
  UNCORRECTED_POINT,
} from './running-sums.js';

/** A difference of two sums of squares that is a smaller part of them than this is their noise. */
const NOISE = 0.1;

/**
 * How many users the rows are of, in effect, from sums by groups of users.
 *
 *   E = (ΣW)² / (Σ_u W_u² − Σ_rows w²),   Σ_u W_u² ≈ G / (G − 1) · Σ_g (W_g − W̄)²
 *
 * the second because users fall into groups at random. Rows of users who come once add as much to the
 * one sum of squares as to the other, so E counts those who return.
 *
 * @param weights W_g, by group. @param rowSquares Σ_rows w².
 * @returns Infinity where nobody returns, as far as it shows.
 * @example
 * effectiveUsers([4, 0, 0, 0], 4); // 1.333: one user with four rows
 */
export function effectiveUsers(weights: ArrayLike<number>, rowSquares: number): number {
  const groups = weights.length;
  let total = 0;
  for (let g = 0; g < groups; g++) total += weights[g];
  let squares = 0;
  for (let g = 0; g < groups; g++) squares += (weights[g] - total / groups) ** 2;
  squares *= groups / (groups - 1);
  const returning = squares - rowSquares;
  return returning > NOISE * squares ? (total * total) / returning : Number.POSITIVE_INFINITY;
}

/** All that is known at a look. */
export interface LookInput {
  /** Event time, ms. */
  readonly at: number;
  readonly sums: RunningSums;
  readonly measure: Pick<Measure, 'name' | 'rung' | 'shape' | 'objection' | 'isOfUncaused'>;
  readonly marks: DecisionMarks;
  readonly epochs: ModelEpochs;
  readonly options: DecisionOptions;
  /** What pairs keep from the look before, by `pairOf`. */
  readonly memories: Readonly<Record<string, PairMemory>>;
  readonly snapshot: Snapshot;
  /** Its limits and its value. */
  readonly gammas: readonly number[];
}

export interface JudgedModels {
  readonly verdicts: PairVerdict[];
  readonly memories: Record<string, PairMemory>;
}

/**
 * Verdicts on the pairs with the control, or on all pairs without one. Yields after each.
 *
 * O(pairs · groups · γs).
 */
export function* judgeModels(input: LookInput): Generator<void, JudgedModels> {
  const { at, epochs, snapshot, memories, measure } = input;
  rememberUsers(input);
  const pairs = pairsOf(snapshot.models, input.options.control);
  const verdicts: PairVerdict[] = [];
  const kept: Record<string, PairMemory> = {};
  for (const [model, reference] of pairs) {
    const [own, other] = [epochs.byName.get(model)!, epochs.byName.get(reference)!];
    const since = Math.max(own.since, other.since);
    const name = pairOf(model, reference, since);
    const look = pairLook(input, { model, reference, own, other, since, of: pairs.length });
    const { verdict, memory } = judgePair(look, memories[name]);
    if (memory !== undefined) kept[name] = memory;
    verdicts.push({
      ...{ ...verdict, ...measure.name, rule: 'sequence', since, at },
      ...(verdict.saysOpposite &&
        measure.rung === 'metric' && { against: `uncorrected ${metricName(measure.name)}` }),
      ...(measure.rung === 'experiment' && { figures: { ...verdict.figures, isIfChance: 1 } }),
      ...([model, reference].some((each) => measure.isOfUncaused?.(each, snapshot)) && {
        isOfUncaused: true as const,
      }),
      forecast: verdict.state === 'undecided' ? forecast(input, own, other, since, memory) : null,
    });
    yield;
  }
  return { verdicts, memories: kept };
}

/** The one that is judged, and the one that it is compared with. */
function pairsOf(models: readonly string[], control: string | undefined): [string, string][] {
  if (control !== undefined) {
    if (!models.includes(control)) return [];
    return models.filter((model) => model !== control).map((model) => [model, control]);
  }
  return models.flatMap((reference, r) =>
    models.slice(r + 1).map((model): [string, string] => [model, reference]),
  );
}

/** Names a pair and its start: after another one nothing of the memory holds. */
function pairOf(model: string, reference: string, since: number): string {
  return JSON.stringify([model, reference, since]);
}

interface Pair {
  readonly model: string;
  readonly reference: string;
  readonly own: ModelEpoch;
  readonly other: ModelEpoch;
  readonly since: number;
  readonly of: number;
}

function pairLook(input: LookInput, pair: Pair): PairLook {
  const { at, marks, options, gammas } = input;
  const { model, reference, since } = pair;
  const started = since <= at ? marks.at(since) : undefined;
  const { corrected, estimate } = input.measure.shape;
  const between = (mark: Mark | undefined, point: number) => difference(input, mark, pair, point);
  const wholeFrom = marks.wholeDaysFrom(since, at);
  const whole = wholeFrom === undefined ? undefined : marks.at(wholeFrom);
  const yesterday = wholeFrom === undefined ? undefined : marks.at(at - options.dayMs);
  return {
    ...{ model, reference, gammas, comparisons: pair.of, marginShare: options.margin },
    since: corrected.map((point) => between(started, point)),
    wholeDays:
      wholeFrom === undefined ? undefined : corrected.map((point) => between(whole, point)),
    lastDay: wholeFrom === undefined ? undefined : between(yesterday, estimate),
    uncorrected: between(started, UNCORRECTED_POINT),
    rung: input.measure.rung,
    objection: objectionTo(input, pair),
  };
}

function difference(
  { sums, measure: { shape } }: LookInput,
  mark: Mark | undefined,
  { own, other }: Pick<Pair, 'own' | 'other'>,
  point: number,
): PairedDifference {
  const [a, b] = roomOf(shape.groups);
  return pairedDifference(
    sums.since(mark, own.place, point, a),
    sums.since(mark, other.place, point, b),
  );
}

const ROOM = new Map<number, [MutableSums, MutableSums]>();

/** Scratch for two models, made once. */
function roomOf(groups: number): [MutableSums, MutableSums] {
  const room = ROOM.get(groups) ?? [roomForSums(groups), roomForSums(groups)];
  ROOM.set(groups, room);
  return room;
}

function objectionTo({ epochs, at, snapshot, measure }: LookInput, pair: Pair): Objection | null {
  const names = [pair.model, pair.reference];
  if (pair.since >= at) return { reason: 'young', figures: {} };
  if (names.some((name) => epochs.isUnsettled(name, at)))
    return { reason: 'unsettled', figures: {} };
  return measure.objection(pair.model, pair.reference, snapshot);
}

/** Of each model whose rows count already. */
function rememberUsers({ at, sums, marks, epochs, measure: { shape } }: LookInput): void {
  for (const epoch of epochs.byName.values()) {
    if (epoch.since >= at) continue;
    const mark = marks.at(epoch.since);
    const { weight } = sums.since(mark, epoch.place, shape.estimate, roomOf(shape.groups)[0]);
    const [, , squares] = sums.moments(mark, epoch.place, epoch.place);
    epochs.remember(epoch, at, effectiveUsers(weight, squares));
  }
}

function forecast(
  input: LookInput,
  own: ModelEpoch,
  other: ModelEpoch,
  since: number,
  memory: PairMemory | undefined,
): PairVerdict['forecast'] {
  const { at, sums, marks, snapshot, options } = input;
  const { shape } = input.measure;
  const days = (at - since) / options.dayMs;
  if (memory === undefined || days < 2) return null;
  const mark = marks.at(since);
  const moments = (a: ModelEpoch, b: ModelEpoch) => sums.moments(mark, a.place, b.place);
  // The model that began later: its users are those of the pair's time.
  const { users } = own.since === since ? own : other;
  const day = dueWindows(snapshot).find(({ from, to }) => to - from === options.dayMs);
  return forecastOf({
    ...{ difference: difference(input, mark, { own, other }, shape.estimate), days },
    weights: [total(input, mark, own), total(input, mark, other)] as const,
    moments: { own: moments(own, own), other: moments(other, other), both: moments(own, other) },
    crossGain: moments(other, own)[1],
    users: users.map((each) => ({ days: (each.at - since) / options.dayMs, users: each.users })),
    spread: memory.spreads[(memory.spreads.length - 1) >> 1],
    ...{
      margin: memory.margin,
      comparisons: pairsOf(snapshot.models, options.control).length,
    },
    activeUsers: day === undefined ? null : day.counts.users,
  });
}

function total(
  { sums, measure }: LookInput,
  mark: Mark | undefined,
  { place }: ModelEpoch,
): number {
  const { groups, estimate } = measure.shape;
  const [room] = roomOf(groups);
  sums.since(mark, place, estimate, room);
  return room.weight.reduce((sum, each) => sum + each, 0);
}
