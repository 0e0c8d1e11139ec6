import {
  type Forms,
  type Measured,
  normalScoreOf,
  scoreBars,
} from '../../estimators/evidence/anchored-rule.js';
import { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';
import { dueWindows, type Snapshot } from '../../stream/tick/snapshot.js';
import type { Objection, PairEvidence } from '../evidence.js';
import { judgePair, NO_ERROR } from '../judge.js';
import { type PairVerdict, RESTART_CAUSES } from '../verdict.js';
import type { DecisionMarks } from './decision-marks.js';
import type { DecisionOptions } from './decision-options.js';
import { forecastOf } from './forecast.js';
import { gammaFlip } from './gamma-flip.js';
import type { Measure } from './measure.js';
import { repeatedIn } from './metric-evidence.js';
import type { ModelEpoch, ModelEpochs } from './model-epochs.js';
import { type GroupSums, type PairedDifference, pairedDifference } from './paired-difference.js';
import {
  type Mark,
  type MutableSums,
  type RunningSums,
  roomForSums,
  UNCORRECTED_POINT,
} from './running-sums.js';

/**
 * Fraction of Σ W_u² below which the part from returning users counts as noise. `effectiveUsers`
 * then returns Infinity.
 */
const NOISE = 0.1;

/**
 * Effective number of users behind rows, from sums by groups of users.
 *
 *   E = (ΣW)² / (Σ_u W_u² − Σ_rows w²),   Σ_u W_u² ≈ G / (G − 1) · Σ_g (W_g − W̄)²
 *
 * The approximation is valid because users are assigned to groups by hash. Users with one row
 * cancel, so E counts returning users.
 *
 * @param weights W_g, by group. @param rowSquares Σ_rows w².
 * @returns Infinity if there is no sign of returning users.
 * @example
 * effectiveUsers([4, 0, 0, 0], 4); // 1.333: one user with four rows
 */
export function effectiveUsers(weights: ArrayLike<number>, rowSquares: number): number {
  const groups = weights.length;
  let total = 0;
  for (let g = 0; g < groups; g++) {
    total += weights[g];
  }
  let squares = 0;
  for (let g = 0; g < groups; g++) {
    squares += (weights[g] - total / groups) ** 2;
  }
  squares *= groups / (groups - 1);
  const returning = squares - rowSquares;
  return returning > NOISE * squares ? (total * total) / returning : Number.POSITIVE_INFINITY;
}

/**
 * State of a pair between looks. Except for `standing`, it is fixed after the pair's first day
 * until the comparison restarts.
 */
export interface PairMemory {
  /**
   * φ, the scale of the anytime-valid rule, at each γ: twice the standard error after the first
   * day.
   */
  readonly spreads: readonly number[];
  /** φ of the sharper form; undefined if the pair has no sharper form. */
  readonly sharper?: number;
  /** δ, the margin. */
  readonly margin: number;
  /** Sign of the difference that the current verdict reports; 0 for none. */
  readonly standing: -1 | 0 | 1;
}

/** Inputs of a look, an evaluation of all pairs at one time. */
export interface LookInput {
  /** Time of the look, event time, ms. */
  readonly at: number;
  readonly sums: RunningSums;
  readonly measure: Omit<Measure, 'add' | 'restsOnGamma'>;
  readonly marks: DecisionMarks;
  readonly epochs: ModelEpochs;
  readonly options: DecisionOptions;
  /** State of pairs from the previous look, by `pairOf`. */
  readonly memories: Readonly<Record<string, PairMemory>>;
  readonly snapshot: Snapshot;
  /** Lower limit, value and upper limit of γ. */
  readonly gammas: readonly number[];
}

export interface JudgedModels {
  readonly verdicts: PairVerdict[];
  readonly memories: Record<string, PairMemory>;
}

/**
 * Judge the pairs with the control, or all pairs without one.
 *
 * O(pairs · groups · γs).
 */
export function judgeModels(input: LookInput): JudgedModels {
  const { at, epochs, snapshot, memories } = input;
  rememberUsers(input);
  const pairs = pairsOf(snapshot.models, input.options.control);
  const verdicts: PairVerdict[] = [];
  const kept: Record<string, PairMemory> = {};
  for (const [model, reference] of pairs) {
    const own = epochs.byName.get(model)!;
    const other = epochs.byName.get(reference)!;
    const since = Math.max(own.since, other.since);
    const name = pairOf(model, reference, since);
    const pair = {
      model,
      reference,
      own,
      other,
      since,
      of: pairs.length,
    };
    const { evidence, memory } = evidenceAt(input, pair, memories[name]);
    const verdict = judgePair([evidence], pairs.length, {
      from: since,
      to: at,
    });
    const { state, better } = verdict;
    const standing: PairMemory['standing'] = better === null ? 0 : better === model ? 1 : -1;
    // A look without a result does not change the stored verdict.
    const next =
      state === 'none'
        ? memories[name]
        : memory && {
            ...memory,
            standing,
          };
    if (next !== undefined) {
      kept[name] = next;
    }
    verdicts.push({
      ...verdict,
      forecast: state === 'undecided' ? forecast(input, pair, memory) : null,
    });
  }
  return {
    verdicts,
    memories: kept,
  };
}

/** The pairs to judge, each a model and its reference. */
function pairsOf(models: readonly string[], control: string | undefined): [string, string][] {
  if (control !== undefined) {
    if (!models.includes(control)) return [];
    return models.filter((model) => model !== control).map((model) => [model, control]);
  }
  return models.flatMap((reference, r) =>
    models.slice(r + 1).map((model): [string, string] => [model, reference]),
  );
}

/**
 * Key of a pair's stored state. It contains the start, so that a restart drops the earlier state.
 */
function pairOf(model: string, reference: string, since: number): string {
  return JSON.stringify([model, reference, since]);
}

interface Pair {
  readonly model: string;
  readonly reference: string;
  readonly own: ModelEpoch;
  readonly other: ModelEpoch;
  readonly since: number;
  /** Number of pairs that are judged together. */
  readonly of: number;
}

/** Evidence on a pair at a look, and its new state. */
function evidenceAt(
  input: LookInput,
  pair: Pair,
  before: PairMemory | undefined,
): {
  readonly evidence: PairEvidence;
  readonly memory: PairMemory | undefined;
} {
  const { at, marks, options, measure, snapshot } = input;
  const { model, reference, since } = pair;
  const { corrected, estimate } = measure.shape;
  const started = since <= at ? marks.at(since) : undefined;
  const wholeFrom = marks.wholeDaysFrom(since, at);
  const all = corrected.map((point) => difference(input, started, pair, point));
  const memory = before ?? (wholeFrom === undefined ? undefined : frozen(input, pair, all));
  const forms = (mark: Mark | undefined) =>
    corrected.map((point, p): Forms => {
      const own = measured(difference(input, mark, pair, point));
      const anchor = {
        ...own,
        spread: memory?.spreads[p] ?? Number.NaN,
      };
      const spread = memory?.sharper;
      const sharper = spread === undefined ? undefined : sharperOf(input, mark, pair);
      return {
        anchor,
        sharper: sharper && {
          ...sharper,
          form: {
            ...sharper.form,
            spread: spread!,
          },
        },
      };
    });
  const ofAll = forms(started);
  const whole = wholeFrom === undefined ? [] : forms(marks.at(wholeFrom));
  const shown = middle(corrected);
  const lastDay =
    wholeFrom === undefined
      ? undefined
      : difference(input, marks.at(at - options.dayMs), pair, estimate);
  const longest = snapshot.windows.reduce((a, b) => (b.to - b.from > a.to - a.from ? b : a));
  const evidence: PairEvidence = {
    model,
    reference,
    measure: measure.name,
    rung: measure.rung,
    ess: all[shown].ess,
    ...ofAll[shown],
    objection: objectionTo(input, pair, {
      wholeFrom,
      lastDay,
      users: all[shown].ess,
    }),
    margin: memory?.margin ?? Number.NaN,
    uncorrected: measured(difference(input, started, pair, UNCORRECTED_POINT)),
    flip: flipOf(input, pair, ofAll),
    ...(measure.rung === 'metric' && repeatedIn(longest)),
    ...([model, reference].some((each) => measure.isOfUncaused?.(each, snapshot)) && {
      isOfUncaused: true as const,
    }),
    watched: {
      also: [...ofAll, ...whole],
      lastDay: lastDay && measured(lastDay),
      standing: memory?.standing ?? 0,
    },
  };
  return { evidence, memory };
}

function middle(of: readonly unknown[]): number {
  return (of.length - 1) >> 1;
}

function measured({ value, stdErr, ess, groups }: PairedDifference): Measured {
  return {
    value,
    stdErr,
    freedom: Math.min(ess, groups) - 1,
  };
}

/**
 * The part of a pair's state that is fixed after the first day. Undefined if the difference has no
 * error, as when both models have equal gains.
 */
function frozen(
  input: LookInput,
  pair: Pair,
  since: readonly PairedDifference[],
): PairMemory | undefined {
  if (since.some(({ stdErr }) => !(stdErr >= NO_ERROR))) return undefined;
  const { other } = since[middle(since)];
  const sharper = sharperOf(input, input.marks.at(pair.since), pair);
  return {
    spreads: since.map(({ stdErr }) => 2 * stdErr),
    ...(sharper && sharper.form.stdErr >= NO_ERROR && { sharper: 2 * sharper.form.stdErr }),
    margin: input.options.margin * Math.abs(other),
    standing: 0,
  };
}

/**
 * Sharper form of the difference of a pair: it counts rewards only from the first position on at
 * which the lists of the two models differ. Undefined if users do not examine lists from the top.
 */
function sharperOf(
  { sums, measure, snapshot }: LookInput,
  mark: Mark | undefined,
  { model, reference, own, other }: Pair,
): Forms['sharper'] {
  const points = [other, own].map(({ place }) => measure.belowPoint?.(place));
  if (points.includes(undefined) || !measure.isBelowRight?.(model, reference, snapshot)) {
    return undefined;
  }
  const { groups } = measure.shape;
  const [a, b] = [own, other].map(({ place }, n) => {
    const [all, part] = [0, points[n]!].map((point) =>
      sums.since(mark, place, point, roomForSums(groups)),
    );
    const { weight, gain } = all;
    const above = Float64Array.from(gain, (each, g) => each - part.gain[g]);
    return {
      below: {
        weight,
        gain: part.gain,
      },
      above: {
        weight,
        gain: above,
      },
    };
  });
  const between = (x: GroupSums, y: GroupSums) => measured(pairedDifference(x, y));
  return {
    form: between(a.below, b.below),
    apart: between(a.above, b.above),
  };
}

/**
 * Find the γ at which the order of the two models changes (a flip). Null if there is no such γ, or
 * if neither model is significantly better at any γ.
 */
function flipOf({ gammas }: LookInput, { model, reference, of }: Pair, since: readonly Forms[]) {
  const gamma = gammaFlip(
    since.map(({ anchor }, p) => ({
      gamma: gammas[p],
      value: anchor.value,
    })),
  );
  const isClear = ({ anchor }: Forms) =>
    Math.abs(normalScoreOf(anchor)) >= scoreBars(of, anchor).whole;
  if (gamma === undefined || !since.some(isClear)) return null;
  return {
    gamma,
    winsBelow: since[0].anchor.value > 0 ? model : reference,
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

/** Buffers for two models, reused. */
function roomOf(groups: number): [MutableSums, MutableSums] {
  const room = ROOM.get(groups) ?? [roomForSums(groups), roomForSums(groups)];
  ROOM.set(groups, room);
  return room;
}

/** Facts that show whether a comparison is too young, stale or too small. */
interface Watched {
  /** Start of the whole days that are compared, ms; undefined within the first day. */
  readonly wholeFrom: number | undefined;
  readonly lastDay: PairedDifference | undefined;
  /** Effective number of users. */
  readonly users: number;
}

function objectionTo(
  { epochs, at, snapshot, measure }: LookInput,
  { model, reference, own, other, since }: Pair,
  { wholeFrom, lastDay, users }: Watched,
): Objection | null {
  const because = (reason: Objection['reason']) => ({
    reason,
    figures: {},
  });
  const { cause } = own.since === since ? own : other;
  const why = cause === undefined ? 0 : 1 + RESTART_CAUSES.indexOf(cause);
  const young: Objection = {
    reason: 'young',
    figures: { why },
  };
  if (since >= at) return young;
  if ([model, reference].some((name) => epochs.isUnsettled(name, at))) return because('unsettled');
  const found = measure.objection(model, reference, snapshot);
  if (found !== null) return found;
  if (wholeFrom === undefined) return young;
  if (lastDay !== undefined && Number.isNaN(lastDay.value)) return because('stale');
  return users >= FEW_USERS
    ? null
    : {
        reason: 'few_users',
        figures: { users },
      };
}

/** Store the effective number of users of each model that has rows. */
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
  { own, other, since, of }: Pair,
  memory: PairMemory | undefined,
): PairVerdict['forecast'] {
  const { at, sums, marks, snapshot, options } = input;
  const { shape } = input.measure;
  const days = (at - since) / options.dayMs;
  if (memory === undefined || days < 2) return null;
  const mark = marks.at(since);
  const moments = (a: ModelEpoch, b: ModelEpoch) => sums.moments(mark, a.place, b.place);
  // The users of the model that began later are those of the common period.
  const { users } = own.since === since ? own : other;
  const day = dueWindows(snapshot).find(({ from, to }) => to - from === options.dayMs);
  return forecastOf({
    difference: difference(input, mark, { own, other }, shape.estimate),
    days,
    weights: [total(input, mark, own), total(input, mark, other)] as const,
    moments: {
      own: moments(own, own),
      other: moments(other, other),
      both: moments(own, other),
    },
    crossGain: moments(other, own)[1],
    users: users.map((each) => ({
      days: (each.at - since) / options.dayMs,
      users: each.users,
    })),
    spread: memory.spreads[middle(memory.spreads)],
    margin: memory.margin,
    comparisons: of,
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
