import { halfWidth, type Measured, scoreBars } from '../../estimators/evidence/anchored-rule.js';
import { type Contrast, errorOf } from '../../estimators/evidence/per-user.js';
import { drawTest } from '../../estimators/evidence/unit-of-draw.js';
import { FEW_USERS } from '../../estimators/uncertainty/effective-sample-size.js';
import type { EarningAction, ExperimentEvents } from '../../state/panes/experiment-events.js';
import type { ModelMark } from '../../stream/feature-types.js';
import type { Objection, PairEvidence } from '../evidence.js';
import { judgePair } from '../judge.js';
import type { AbPair, AbRead } from '../values/ab/ab-read.js';
import { LEAST_P, ratioP } from '../values/ab/split-tests.js';
import type { PairVerdict } from '../verdict.js';
import { abAnswer } from './ab-answer.js';
import type { AbAnswer, AbCaution, AbReward } from './answer.js';
import { contrastOfGroups, type GroupedArm } from './grouped-arms.js';
import { LiveUsers, MOST_TEST_USERS, type SumsOfArms } from './live-users.js';

/** Copy of the sums at one time, for subtraction from later sums. */
interface LiveMark {
  readonly at: number;
  readonly users: number[];
  readonly first: number[];
  readonly reward: number[][];
  readonly xReward: number[];
  readonly knownReward: number[];
}

/**
 * State of a pair between looks. φ (`spread`) and δ (`margin`), both per user-day, are fixed after
 * the first day. `standing` is the sign of the difference that the pair's verdict reports.
 */
interface LiveMemory {
  readonly spread: number;
  readonly margin: number;
  readonly standing: -1 | 0 | 1;
}

export interface LiveOptions {
  readonly split?: Readonly<Record<string, number>> | undefined;
  readonly control?: string | undefined;
  readonly earning?: EarningAction | undefined;
  readonly hasOtherClicks: boolean;
  readonly settings: string;
  readonly margin: number;
  readonly dayMs: number;
  readonly lookMs: number;
}

/** Input of a test from one pane: events by partition, and a hash of each user's id. */
export interface LivePane {
  readonly end: number;
  readonly tickMs: number;
  readonly parts: readonly {
    readonly events: ExperimentEvents;
    keyOf(user: number): number;
  }[];
  nameOf(model: number): string | undefined;
  /** Models with an alarm in the pane. */
  readonly alarmed: readonly string[];
  /** Marks of changed models. */
  readonly marks: readonly ModelMark[];
}

/** Stored state as JSON. */
interface LiveProgress {
  arms: string[];
  lists: [string, number][];
  since: number | null;
  observedTo: number | null;
  marks: LiveMark[];
  memories: Record<string, LiveMemory>;
  answer: AbAnswer | null;
  verdicts: PairVerdict[];
  hasOtherActions: boolean;
}

/** One look at all pairs. */
interface Look {
  readonly at: number;
  readonly sums: SumsOfArms;
  /** Index of the control among the arms. */
  readonly control: number;
  /** Number of pairs that are judged together. */
  readonly comparisons: number;
  /** Objection to all pairs. */
  readonly objection: Objection | null;
}

/** Encoding of NaN, which JSON lacks. */
const NOT_A_NUMBER = '\0NaN';
/** Least number of lists that a model must have served to be an arm, if no split is configured. */
const LEAST_LISTS = 30;
/**
 * Least fraction of all lists that a model must have served to be an arm, if no split is
 * configured.
 */
const LEAST_SHARE = 0.01;

/**
 * An A/B test by user that is evaluated repeatedly, with rewards per user-day.
 *
 * A user's reward grows with time. So do D, the difference between the mean rewards of two arms,
 * and the error of D. Therefore D, its error and the control's mean are divided by Ē, the mean days
 * since users' first lists. The scale φ and the margin δ of the anytime-valid rule are fixed after
 * this division, and the rule is applied after it. Results are then multiplied by Ē. A test that
 * assigns arms by request has no result here.
 */
export class LiveTest {
  readonly #options: LiveOptions;
  readonly #users: LiveUsers;
  #progress: LiveProgress = {
    arms: [],
    lists: [],
    since: null,
    observedTo: null,
    marks: [],
    memories: {},
    answer: null,
    verdicts: [],
    hasOtherActions: false,
  };

  constructor(options: LiveOptions) {
    this.#options = options;
    this.#users = new LiveUsers();
  }

  stored(): string {
    const written = {
      options: this.#options,
      progress: this.#progress,
      users: this.#users.stored(),
    };
    return JSON.stringify(written, (_, value) => (Number.isNaN(value) ? NOT_A_NUMBER : value));
  }

  restore(stored: string): void {
    const unknown = (_: string, value: unknown) => (value === NOT_A_NUMBER ? Number.NaN : value);
    const { options, progress, users } = JSON.parse(stored, unknown) as {
      options: LiveOptions;
      progress: LiveProgress;
      users: string;
    };
    if (JSON.stringify(options) !== JSON.stringify(this.#options)) return;
    this.#progress = progress;
    this.#users.restore(users);
  }

  /**
   * Add a pane, and evaluate the test if a look is due. A pane that was added before is ignored.
   */
  observe(pane: LivePane): {
    readonly answer: AbAnswer | null;
    readonly verdicts: PairVerdict[];
  } {
    const progress = this.#progress;
    if (progress.observedTo === null || pane.end > progress.observedTo) {
      this.#follow(pane);
      for (const { events, keyOf } of pane.parts) {
        progress.hasOtherActions ||= events.hasOtherActions;
        const armOf = (model: number) => progress.arms.indexOf(pane.nameOf(model) ?? '');
        this.#users.add(events, keyOf, armOf);
      }
      progress.observedTo = pane.end;
      if (pane.end % this.#options.lookMs === 0) {
        this.#look(pane.end);
      }
    }
    return {
      answer: progress.answer,
      verdicts: progress.verdicts,
    };
  }

  /**
   * Update the models that serve lists. A new arm restarts the test at the start of the pane, a
   * changed one at its end.
   */
  #follow(pane: LivePane): void {
    const progress = this.#progress;
    const { split } = this.#options;
    const lists = new Map(progress.lists);
    for (const { events } of pane.parts) {
      for (const model of events.lists.model) {
        const name = pane.nameOf(model);
        if (name !== undefined) {
          lists.set(name, (lists.get(name) ?? 0) + 1);
        }
      }
    }
    const all = [...lists.values()].reduce((sum, each) => sum + each, 0);
    const isArm = ([name, count]: [string, number]) =>
      split === undefined ? count >= LEAST_LISTS && count >= LEAST_SHARE * all : name in split;
    const arms = [...lists]
      .filter(isArm)
      .map(([name]) => name)
      .sort();
    progress.lists = [...lists];
    const known = progress.arms;
    const isNew = arms.some((name) => !known.includes(name));
    const since = progress.since ?? Number.NEGATIVE_INFINITY;
    const changed = [
      ...pane.alarmed,
      ...pane.marks.flatMap(({ model, time }) => (time > since && time <= pane.end ? [model] : [])),
    ];
    if (!isNew && !changed.some((name) => known.includes(name))) return;
    // An arm that serves fewer lists than before stays an arm.
    progress.arms = [...new Set([...known, ...arms])].sort();
    progress.since = pane.end - pane.tickMs;
    if (!isNew) {
      progress.since = pane.end;
    }
    progress.marks = [];
    progress.memories = {};
    this.#overtake(isNew ? undefined : changed.find((name) => known.includes(name)), pane);
    this.#users.begin(progress.arms.length, progress.since);
  }

  /**
   * Withdraw the verdicts of a test that has restarted: drop them if an arm is new, and otherwise
   * mark them as outdated until the next look.
   */
  #overtake(changed: string | undefined, { end, alarmed }: LivePane): void {
    const progress = this.#progress;
    if (changed === undefined) {
      progress.answer = null;
      progress.verdicts = [];
      return;
    }
    const changedBy = alarmed.includes(changed) ? 'alarm' : 'mark';
    progress.verdicts = progress.verdicts.map((verdict) => ({
      ...verdict,
      changed,
      startsAgain: end,
      changedAt: end,
      changedBy,
    }));
  }

  #look(at: number): void {
    const progress = this.#progress;
    const { since, arms } = progress;
    if (since === null || arms.length < 2) return;
    const sums = this.#users.sums;
    const unit = drawTest(this.#users.pairs).unit;
    progress.marks = [...progress.marks, markOf(sums, at)];
    if (unit === 'request') {
      progress.answer = null;
      progress.verdicts = [];
      return;
    }
    const control = this.#controlOf(sums);
    const others = arms.map((_, a) => a).filter((a) => a !== control);
    const objection = this.#objection(sums, unit, since, at);
    const look: Look = {
      at,
      sums,
      control,
      comparisons: others.length,
      objection,
    };
    const memories: Record<string, LiveMemory> = {};
    const judged = others.map((arm) => {
      const name = JSON.stringify([arms[arm], arms[control]]);
      const found = this.#pair(look, arm, progress.memories[name]);
      if (found.memory !== undefined) {
        memories[name] = found.memory;
      }
      return found;
    });
    progress.memories = memories;
    progress.verdicts = judged.map(({ verdict }) => verdict);
    const pairs = judged.map(({ pair }) => pair);
    const multipliers = new Map(judged.map(({ pair, multiplier }) => [pair.model, multiplier]));
    progress.answer = abAnswer(this.#read(look, pairs), progress.verdicts, (model) =>
      multipliers.get(model),
    );
  }

  /** Judge an arm against the control. @param before state of the pair from the previous look. */
  #pair(look: Look, arm: number, before: LiveMemory | undefined) {
    const { at, sums, control, comparisons, objection } = look;
    const { dayMs, lookMs, margin } = this.#options;
    const { arms, since, marks } = this.#progress;
    const whole = this.#contrast(look, arm);
    const leastUsers = Math.min(sums.users[arm]!, sums.users[control]!);
    const days = daysOf(sums, undefined, at, dayMs);
    const perDay = (contrast: Contrast, by: number): Measured => ({
      value: contrast.difference / by,
      stdErr: errorOf(contrast) / by,
      freedom: Math.max(1, Math.min(leastUsers, contrast.freedom || leastUsers)),
    });
    const perDaySince = (mark: LiveMark | undefined): Measured | undefined =>
      mark && perDay(this.#contrast(look, arm, mark), daysOf(sums, mark, at, dayMs));
    const own = perDay(whole, days);
    const isOld = at - since! >= dayMs;
    const memory =
      before ??
      (isOld && own.stdErr > 0
        ? {
            spread: 2 * own.stdErr,
            margin: margin * Math.abs(whole.other / days),
            standing: 0 as const,
          }
        : undefined);
    const spread = memory?.spread ?? Number.NaN;
    const wholeFrom = at - dayMs * Math.floor((at - since!) / dayMs);
    const wholeMark = marks.find((mark) => mark.at >= wholeFrom && mark.at < wholeFrom + lookMs);
    const dayMark = marks.find((mark) => mark.at === at - dayMs);
    const anchor = {
      ...own,
      spread,
    };
    const ofWholeDays = wholeFrom <= since! ? undefined : perDaySince(wholeMark);
    const also = [
      { anchor },
      ...(ofWholeDays
        ? [
            {
              anchor: {
                ...ofWholeDays,
                spread,
              },
            },
          ]
        : []),
    ];
    const evidence: PairEvidence = {
      rung: 'experiment',
      model: arms[arm]!,
      reference: arms[control]!,
      measure: {
        metric: 'value',
        k: null,
      },
      objection,
      anchor,
      margin: memory?.margin ?? Number.NaN,
      ess: leastUsers,
      watched: {
        also,
        lastDay: perDaySince(dayMark),
        standing: memory?.standing ?? 0,
      },
    };
    const verdict = judgePair([evidence], comparisons, {
      from: since!,
      to: at,
    });
    const standing: LiveMemory['standing'] =
      verdict.better === null ? 0 : verdict.better === verdict.model ? 1 : -1;
    const score = scoreBars(comparisons, anchor).whole;
    const multiplier = own.stdErr > 0 ? halfWidth(anchor, score) / own.stdErr : Number.NaN;
    return {
      verdict: multiplied(verdict, days),
      pair: {
        model: arms[arm]!,
        unit: 'user' as const,
        whole,
        leastUsers,
      },
      multiplier,
      memory: memory && {
        ...memory,
        standing,
      },
    };
  }

  /**
   * Compare an arm with the control by rewards per user. If a mark is given, only rewards since the
   * mark count.
   */
  #contrast({ sums, control }: Look, arm: number, mark?: LiveMark): Contrast {
    const of = (a: number): GroupedArm => ({
      users: sums.count[a]!,
      known: sums.known[a]!,
      x: sums.x[a]!,
      xx: sums.xx[a]!,
      reward: mark ? less(sums.reward[a]!, mark.reward[a] ?? []) : sums.reward[a]!,
      xReward: sums.xReward[a]! - (mark?.xReward[a] ?? 0),
      knownReward: sums.knownReward[a]! - (mark?.knownReward[a] ?? 0),
    });
    return contrastOfGroups(of(control), of(arm));
  }

  #objection(
    sums: SumsOfArms,
    unit: ReturnType<typeof drawTest>['unit'],
    since: number,
    at: number,
  ): Objection | null {
    const { arms } = this.#progress;
    if (at - since < this.#options.dayMs) {
      return {
        reason: 'young',
        figures: { why: 0 },
      };
    }
    if (unit === 'neither') {
      const { share: same, expected } = drawTest(this.#users.pairs);
      return {
        reason: 'draw_mixed',
        figures: { same, expected },
      };
    }
    const declared = this.#declared();
    const counts = Float64Array.from(sums.users);
    if (declared !== undefined && ratioP(counts, declared) < LEAST_P) {
      const all = counts.reduce((sum, each) => sum + each, 0);
      const off = declared.map((share, a) => Math.abs(counts[a]! / all - share));
      const worst = off.indexOf(Math.max(...off));
      const figures = {
        served: counts[worst]! / all,
        stated: declared[worst]!,
      };
      return {
        reason: 'shares_off',
        figures,
        of: [arms[worst]!],
      };
    }
    const least = Math.min(...sums.users);
    return least < FEW_USERS
      ? {
          reason: 'few_users',
          figures: { users: least },
        }
      : null;
  }

  #cautions(days: number): AbCaution[] {
    const cautions: AbCaution[] = [];
    if (days < 7) {
      cautions.push({
        code: 'part_week',
        figures: {
          days,
          weekdays: 0,
        },
        of: [],
      });
    }
    if (this.#users.isFull) {
      cautions.push({
        code: 'users_full',
        figures: { users: MOST_TEST_USERS },
        of: [],
      });
    }
    return cautions;
  }

  #reward(): AbReward {
    const { earning, hasOtherClicks } = this.#options;
    if (earning !== undefined) {
      return {
        action: earning.action,
        by: earning.by,
      };
    }
    const isClicks = !this.#progress.hasOtherActions && !hasOtherClicks;
    return {
      action: isClicks ? 'click' : null,
      by: 'worth',
    };
  }

  #declared(): number[] | undefined {
    const { split } = this.#options;
    if (split === undefined) return undefined;
    const shares = this.#progress.arms.map((name) => split[name] ?? 0);
    const total = shares.reduce((sum, each) => sum + each, 0);
    return shares.map((share) => share / total);
  }

  #controlOf(sums: SumsOfArms): number {
    const { arms } = this.#progress;
    const configured = arms.indexOf(this.#options.control ?? '');
    if (configured >= 0) return configured;
    const even = arms.map(() => 1 / arms.length);
    const isUneven = ratioP(Float64Array.from(sums.users), even) < LEAST_P;
    const shares = this.#declared() ?? (isUneven ? sums.users : even);
    return shares.indexOf(Math.max(...shares));
  }

  #read({ at, sums, control, objection }: Look, pairs: readonly AbPair[]): AbRead {
    const { arms, since } = this.#progress;
    const all = sums.users.reduce((sum, each) => sum + each, 0);
    const declared = this.#declared();
    const days = Math.max(1, Math.ceil((at - since!) / this.#options.dayMs));
    const byName = (values: readonly number[]) =>
      Object.fromEntries(arms.map((name, a) => [name, values[a]!]));
    const order = [control, ...arms.keys()].filter((a, n, of) => of.indexOf(a) === n);
    return {
      unit: 'user',
      isUnitAssumed: drawTest(this.#users.pairs).unit === 'unknown',
      isRandomisationAssumed: declared === undefined,
      split: {
        declared: declared === undefined ? null : byName(declared),
        served: byName(sums.users.map((users) => users / all)),
        p: ratioP(Float64Array.from(sums.users), declared),
      },
      control: arms[control]!,
      reward: this.#reward(),
      since: since!,
      at,
      days,
      isWeekdaysOnly: false,
      isWholeWeek: days >= 7,
      usesHistory: sums.xx.some((each) => each > 0),
      arms: order.map((a) => {
        const pair = a === control ? pairs[0] : pairs.find(({ model }) => model === arms[a]);
        const mean = a === control ? pair?.whole.other : pair?.whole.own;
        return {
          model: arms[a]!,
          users: sums.users[a]!,
          requests: sums.lists[a]!,
          rewards: total(sums.reward[a]!),
          perUser: mean ?? Number.NaN,
          perRequest: sums.named[a]! / sums.lists[a]!,
        };
      }),
      pairs,
      objection,
      cautions: this.#cautions(days),
    };
  }
}

/** Remove the users with these keys from a stored `LiveTest`. */
export function testWithoutUsers(stored: string, keys: readonly number[]): string {
  const state = JSON.parse(stored) as { readonly users: string };
  const users = new LiveUsers();
  users.restore(state.users);
  users.forget(keys);
  return JSON.stringify({
    ...state,
    users: users.stored(),
  });
}

/** Copy of the current sums, for subtraction from later ones. */
function markOf(sums: SumsOfArms, at: number): LiveMark {
  return {
    at,
    users: [...sums.users],
    first: [...sums.first],
    reward: sums.reward.map((own) => [...own]),
    xReward: [...sums.xReward],
    knownReward: [...sums.knownReward],
  };
}

/**
 * Ē, the mean number of days up to `at` over the users of all arms. A user's days begin with the
 * first list, or at the mark if that is later.
 */
function daysOf(sums: SumsOfArms, mark: LiveMark | undefined, at: number, dayMs: number): number {
  let users = 0;
  let first = 0;
  for (let a = 0; a < sums.users.length; a++) {
    users += sums.users[a]!;
    const before = mark?.users[a] ?? 0;
    first += sums.first[a]! - (mark?.first[a] ?? 0) + before * (mark?.at ?? 0);
  }
  return (at - first / users) / dayMs;
}

function less(values: Float64Array, by: readonly number[]): Float64Array {
  return values.map((value, g) => value - (by[g] ?? 0));
}

function total(values: Float64Array): number {
  return values.reduce((sum, each) => sum + each, 0);
}

/** Convert a verdict from per user-day to per user. */
function multiplied(verdict: PairVerdict, days: number): PairVerdict {
  return {
    ...verdict,
    value: days * verdict.value,
    stdErr: days * verdict.stdErr,
    lower: days * verdict.lower,
    upper: days * verdict.upper,
    margin: days * verdict.margin,
    lastDay: days * verdict.lastDay,
  };
}
