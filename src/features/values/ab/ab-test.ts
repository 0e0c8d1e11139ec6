import { isInUse, type Measured } from '../../../estimators/evidence/anchored-rule.js';
import {
  type ArmUsers,
  type Contrast,
  errorOf,
  freedomOf,
  perRequest,
  perUser,
  unlikeness,
} from '../../../estimators/evidence/per-user.js';
import { FEW_USERS } from '../../../estimators/uncertainty/effective-sample-size.js';
import type { ExperimentEvents } from '../../../state/panes/experiment-events.js';
import type { NamedModel } from '../../../stream/ids.js';
import type { Objection, PairEvidence } from '../../evidence.js';
import type { AbArm, AbCaution } from '../../verdicts/answer.js';
import type { AbOptions } from './ab-options.js';
import type { AbPair, AbRead } from './ab-read.js';
import { type Assignment, assignmentOf, DAY_MS, startOf } from './assignment.js';
import { type Participants, participantsOf } from './participants.js';
import { type RequestsByArm, requestsByArm } from './requests-by-arm.js';
import { shrinkingOf } from './shrinking.js';
import {
  countsOf,
  hasHistory,
  LEAST_P,
  offWithin,
  ratioP,
  type Split,
  splitOverDays,
  unlikeBefore,
} from './split-tests.js';
import { statedSplit } from './stated-split.js';
import { type TestLog, testLog } from './test-log.js';

/**
 * |z| above which two arms count as different in a quantity that should not depend on the arm. Such
 * quantities are lists per user, interactions with items that their list lacks, and late rewards.
 */
const MOST_UNLIKE = 3.5;
/**
 * A sharper form is used only if its variance is at most this share of the anchor's, both by Wald.
 */
const MOST_VARIANCE = 0.9;

/** Result of a test, with its evidence on each pair. */
export interface AbFound {
  readonly read: AbRead;
  readonly evidence: readonly PairEvidence[];
}

/**
 * Analyse an A/B test over a whole log, from served lists and rewards.
 *
 * @param parts by partition, oldest first. @param end of the log.
 * @returns undefined if fewer than two models served lists, or their users or requests cannot be
 * separated.
 */
export function abTest(
  parts: readonly (readonly ExperimentEvents[])[],
  models: readonly NamedModel[],
  end: number,
  options: AbOptions,
): AbFound | undefined {
  const log = testLog(parts, models, options.split && Object.keys(options.split));
  if (log === undefined) return undefined;
  const { since, first } = startOf(log);
  const assignment = assignmentOf(log, since);
  if (assignment.unit === 'joint') return undefined;
  const users = participantsOf(log, since);
  const requests = requestsByArm(log, since, {
    end,
    horizonMs: options.horizonMs,
  });
  const namesLists = requests.named.some((arm) => arm.some((count) => count > 0));
  const isByRequest =
    assignment.unit === 'request' || (assignment.isAssumed && options.unit === 'request');
  if (!namesLists && (isByRequest || assignment.unit === 'neither')) return undefined;
  const unit = assignment.unit === 'neither' ? null : isByRequest ? 'request' : 'user';
  return new AbTest(
    {
      log,
      since,
      first,
      end,
      unit,
      assignment,
      users,
      requests,
    },
    options,
  ).found();
}

interface Known {
  readonly log: TestLog;
  readonly since: number;
  readonly end: number;
  /** Index of the arm that served alone for a day before the test. */
  readonly first: number | undefined;
  readonly unit: AbRead['unit'];
  readonly assignment: Assignment;
  readonly users: Participants;
  readonly requests: RequestsByArm;
}

/** Analysis of one test in a log. */
class AbTest {
  readonly #known: Known;
  readonly #options: AbOptions;
  readonly #split: Split;
  readonly #counts: Float64Array;
  readonly #weight: Float64Array | undefined;
  readonly #isChangingSplit: boolean;
  readonly #control: number;
  readonly #days: ArrayLike<number>;

  constructor(known: Known, options: AbOptions) {
    this.#known = known;
    this.#options = options;
    const { log, unit, users, since } = known;
    const ofLists = listsOf(log, since);
    const isByRequest = unit === 'request';
    const stated = statedSplit(log.arms, options.split, isByRequest ? ofLists : users);
    const arm = isByRequest ? ofLists.arm : users.arm;
    this.#split = {
      arm,
      arms: log.arms,
      declared: stated.declared,
    };
    this.#weight = isByRequest ? undefined : stated.weight;
    this.#isChangingSplit = stated.weight !== undefined;
    this.#counts = countsOf(this.#split);
    this.#control = this.#controlOf();
    const firstDay = Math.floor(since / DAY_MS);
    const times = isByRequest ? ofLists.ts : users.first;
    this.#days = Int32Array.from(times, (ts) => Math.floor(ts / DAY_MS) - firstDay);
  }

  found(): AbFound {
    const { log, unit, requests, assignment, since, end } = this.#known;
    const { declared } = this.#split;
    const all = this.#counts.reduce((sum, each) => sum + each, 0);
    const pairs = log.arms.flatMap((_, a) => (a === this.#control ? [] : [this.#pair(a)]));
    const span = daysOf(log, since);
    const objection = this.#objection(pairs);
    const read: AbRead = {
      unit,
      isUnitAssumed: assignment.isAssumed,
      isRandomisationAssumed: declared === undefined && !this.#isChangingSplit,
      split: {
        declared: declared === undefined ? null : named(log.arms, declared),
        served: named(
          log.arms,
          [...this.#counts].map((count) => count / all),
        ),
        p: ratioP(this.#counts, declared),
      },
      control: log.arms[this.#control],
      reward: this.#reward(),
      since,
      at: end,
      ...span,
      usesHistory: unit === 'user' && pairs.some(({ whole }) => whole.slope !== 0),
      arms: this.#arms(pairs),
      pairs: pairs.map(({ model, whole, sharper, leastUsers }) => ({
        model,
        unit,
        whole,
        sharper,
        leastUsers,
      })),
      objection,
      cautions: this.#cautions(pairs, span, requests),
    };
    const margin = this.#options.margin;
    const evidence = pairs.map((pair): PairEvidence => {
      const { model, whole, sharper, apart, leastUsers } = pair;
      return {
        rung: 'experiment',
        model,
        reference: read.control,
        measure: {
          metric: 'value',
          k: null,
        },
        objection,
        anchor: measured(whole, pair),
        ...(sharper &&
          apart && {
            sharper: {
              form: measured(sharper.form, pair),
              apart,
            },
          }),
        margin: margin * Math.abs(whole.other),
        ess: leastUsers,
      };
    });
    return { read, evidence };
  }

  /**
   * Choose the control: the configured arm; else the only model served before the test; else the
   * most served arm, if its lead is significant; else the first.
   */
  #controlOf(): number {
    const { log, first } = this.#known;
    const configured = log.arms.indexOf(this.#options.control ?? '');
    if (configured >= 0) return configured;
    if (first !== undefined) return first;
    const { declared } = this.#split;
    const even = log.arms.map(() => 1 / log.arms.length);
    const shares = declared ?? (ratioP(this.#counts, even) < LEAST_P ? [...this.#counts] : even);
    return shares.indexOf(Math.max(...shares));
  }

  #reward(): AbRead['reward'] {
    const { earning, hasOtherClicks } = this.#options;
    if (earning !== undefined) {
      return {
        action: earning.action,
        by: earning.by,
      };
    }
    const isClicks = !this.#known.log.hasOtherActions && !hasOtherClicks;
    return isClicks
      ? {
          action: 'click',
          by: 'worth',
        }
      : {
          action: null,
          by: 'worth',
        };
  }

  #pair(arm: number): OnePair {
    const model = this.#known.log.arms[arm];
    return this.#known.unit === 'user' ? this.#byUser(model, arm) : this.#byRequest(model, arm);
  }

  #byUser(model: string, arm: number): OnePair {
    const { users } = this.#known;
    const rows = rowsOf(users, [this.#control, arm]);
    const of = (column: ArrayLike<number>) => Float64Array.from(rows, (u) => column[u]);
    const common: Omit<ArmUsers, 'reward'> = {
      arm: Uint8Array.from(rows, (u) => (users.arm[u] === arm ? 1 : 0)),
      history: of(users.history),
      ...(this.#weight && { weight: of(this.#weight) }),
    };
    const whole = perUser({
      ...common,
      reward: of(users.reward),
    });
    const noHistory = {
      ...common,
      history: new Float64Array(rows.length).fill(Number.NaN),
    };
    const lists = perUser({
      ...noHistory,
      reward: of(users.lists),
    });
    const leastUsers = Math.min(this.#counts[this.#control], this.#counts[arm]);
    const judging = {
      unit: 'user' as const,
      leastUsers,
    };
    const own = {
      model,
      ...judging,
      whole,
      lists,
    };
    const named = of(users.named);
    if (named.every((each) => each === 0)) return own;
    const isNamedOnly = rows.every((u) => users.named[u] === users.reward[u]);
    const form = isNamedOnly
      ? ofRequests(of(users.lists), named, common.arm)
      : perUser({
          ...common,
          reward: named,
        });
    const sharper = {
      of: isNamedOnly ? 'per_request' : 'named',
      form,
    } as const;
    const apart = between(whole, form);
    const isUsable =
      Math.abs(unlikeness(lists)) <= MOST_UNLIKE &&
      this.#weight === undefined &&
      form.wald ** 2 <= MOST_VARIANCE * whole.wald ** 2 &&
      isInUse({
        anchor: measured(whole, judging),
        sharper: {
          form: measured(form, judging),
          apart,
        },
      });
    return isUsable
      ? {
          ...own,
          sharper,
          apart,
          named: form,
        }
      : {
          ...own,
          named: form,
        };
  }

  #byRequest(model: string, arm: number): OnePair {
    const { requests } = this.#known;
    const whole = this.#ratio(arm, requests.requests, requests.reward);
    const leastUsers = Math.min(
      ...[this.#control, arm].map((a) => requests.requests[a].filter((n) => n > 0).length),
    );
    return {
      model,
      unit: this.#known.unit,
      whole: {
        ...whole,
        slope: 0,
      },
      leastUsers,
    };
  }

  /**
   * Compare an arm with the control in the ratio Σ `sums` / Σ `of`. Both columns are by arm and
   * user; users of other arms are left out.
   */
  #ratio(arm: number, of: readonly Float64Array[], sums: readonly Float64Array[]): Contrast {
    const { requests } = this.#known;
    const [a, b] = [this.#control, arm].map((each) => requests.requests[each]);
    const n = of[this.#control];
    const m = of[arm];
    const rows = [...a.keys()].filter((u) => a[u] + b[u] + n[u] + m[u] > 0);
    const taken = (column: Float64Array) => Float64Array.from(rows, (u) => column[u]);
    return perRequest({
      requests: [taken(n), taken(m)],
      reward: [taken(sums[this.#control]), taken(sums[arm])],
    });
  }

  #arms(pairs: readonly OnePair[]): AbArm[] {
    const { log, users, requests, unit } = this.#known;
    const order = [this.#control, ...log.arms.keys()].filter((a, n, all) => all.indexOf(a) === n);
    return order.map((a): AbArm => {
      const model = log.arms[a];
      const rows = rowsOf(users, [a]);
      const pair = a === this.#control ? pairs[0] : pairs.find((each) => each.model === model)!;
      const lists = requests.requests[a];
      const earned = sumOf(requests.reward[a]);
      const isUser = unit !== 'request';
      return {
        model,
        users: isUser ? rows.length : lists.filter((n) => n > 0).length,
        requests: isUser ? rows.reduce((sum, u) => sum + users.lists[u], 0) : sumOf(lists),
        rewards: isUser ? rows.reduce((sum, u) => sum + users.reward[u], 0) : earned,
        perUser: isUser ? (a === this.#control ? pair.whole.other : pair.whole.own) : Number.NaN,
        perRequest: earned / sumOf(lists),
      };
    });
  }

  #objection(pairs: readonly OnePair[]): Objection | null {
    const { log, unit, users, assignment } = this.#known;
    if (unit === null) {
      const { same, expected } = assignment;
      return {
        reason: 'draw_mixed',
        figures: { same, expected },
      };
    }
    const { declared } = this.#split;
    const all = this.#counts.reduce((sum, each) => sum + each, 0);
    if (declared !== undefined && ratioP(this.#counts, declared) < LEAST_P) {
      const off = declared.map((share, a) => Math.abs(this.#counts[a] / all - share));
      const worst = off.indexOf(Math.max(...off));
      const figures = {
        served: this.#counts[worst] / all,
        stated: declared[worst],
      };
      return {
        reason: 'shares_off',
        figures,
        of: [log.arms[worst]],
      };
    }
    if (unit === 'user' && !this.#isChangingSplit) {
      const within = offWithin(this.#split, users.codes, log.dimensions);
      if (within !== undefined) {
        const { model, dimension, value, served, expected, p } = within;
        const figures = {
          served,
          stated: expected,
          p,
        };
        return {
          reason: 'shares_off_within',
          figures,
          of: [model, dimension, value],
        };
      }
    }
    if (declared === undefined && !this.#isChangingSplit) {
      const { p, day } = splitOverDays(this.#split, this.#days);
      if (p < LEAST_P) {
        return {
          reason: 'split_changed',
          figures: { day, p },
        };
      }
    }
    const unlike = unlikeBefore(users, log.arms);
    if (unlike !== undefined && unit === 'user') {
      return {
        reason: 'unlike_before',
        figures: { more: unlike.more },
        of: [unlike.model],
      };
    }
    return this.#objectionToPairs(pairs);
  }

  #objectionToPairs(pairs: readonly OnePair[]): Objection | null {
    const { log, unit, requests } = this.#known;
    for (const { model, whole } of pairs) {
      const arm = log.arms.indexOf(model);
      const cut = this.#ratio(arm, requests.named, requests.unlisted);
      if (Math.abs(unlikeness(cut)) > MOST_UNLIKE) {
        const isOwn = cut.difference > 0;
        const figures = {
          share: isOwn ? cut.own : cut.other,
          other: isOwn ? cut.other : cut.own,
        };
        return {
          reason: 'lists_cut',
          figures,
          of: [isOwn ? model : log.arms[this.#control]],
        };
      }
      if (unit !== 'request') continue;
      const late = this.#ratio(arm, requests.requests, requests.late);
      const withLate = whole.difference + late.difference;
      if (Math.abs(unlikeness(late)) > MOST_UNLIKE && withLate * whole.difference < 0) {
        const figures = {
          without: whole.difference,
          with: withLate,
        };
        return {
          reason: 'late_turns',
          figures,
          of: [model],
        };
      }
    }
    const least = Math.min(...pairs.map(({ leastUsers }) => leastUsers));
    if (least < FEW_USERS) {
      return {
        reason: 'few_users',
        figures: { users: least },
      };
    }
    const isNothing = pairs.every(({ whole }) => whole.own === 0 && whole.other === 0);
    return isNothing
      ? {
          reason: 'no_rewards',
          figures: {},
        }
      : null;
  }

  #cautions(
    pairs: readonly OnePair[],
    { days, isWeekdaysOnly, isWholeWeek }: ReturnType<typeof daysOf>,
    { pending, isPendingLeftOut }: RequestsByArm,
  ): AbCaution[] {
    const { log, unit, users, assignment, requests, since, end } = this.#known;
    const found: AbCaution[] = [];
    const add = (code: AbCaution['code'], figures: AbCaution['figures'], of: string[] = []) =>
      found.push({
        code,
        figures,
        of,
      });
    for (const { model, whole, lists, named } of pairs) {
      const arm = log.arms.indexOf(model);
      const isClear = (of: Contrast) => Math.abs(unlikeness(of)) > CLEAR;
      if (named !== undefined && isClear(named) && !isClear(whole)) {
        const lift = named.difference / named.other;
        add(
          'moved',
          {
            lift,
            all: whole.difference / whole.other,
          },
          [model],
        );
      }
      if (unit === 'user') {
        const shrinking = shrinkingOf(log, users, {
          arm,
          control: this.#control,
          since,
          end,
        });
        if (shrinking !== undefined) {
          add('shrinking', { ...shrinking }, [model]);
        }
      } else if (unit === 'request') {
        const late = this.#ratio(arm, requests.named, requests.late);
        if (Math.abs(unlikeness(late)) > MOST_UNLIKE) {
          add(
            'late_clicks',
            {
              share: late.own,
              other: late.other,
              z: unlikeness(late),
            },
            [model],
          );
        }
      }
      if (lists !== undefined && Math.abs(unlikeness(lists)) > MOST_UNLIKE) {
        add(
          'requests_differ',
          {
            lift: lists.difference / lists.other,
            z: unlikeness(lists),
          },
          [model],
        );
      }
    }
    // A few lists from other arms do not matter, but many do: the test of the unit detects them.
    if (unit === 'user' && assignment.same < KEPT) {
      add('strays', { share: assignment.strays });
    }
    const isChecked = this.#split.declared !== undefined || this.#isChangingSplit;
    if (!isChecked && !hasHistory(users)) {
      add('split_unchecked', {});
    }
    if (!isWholeWeek) {
      add('part_week', {
        days,
        weekdays: Number(isWeekdaysOnly),
      });
    }
    if (unit === 'request' && pending > 0) {
      add('pending', {
        share: pending,
        isLeftOut: Number(isPendingLeftOut),
      });
    }
    return found;
  }
}

/**
 * A test by user carries a caution if less than this share of users' consecutive lists has the same
 * arm.
 */
const KEPT = 0.99;
/** |z| above which a difference is significant. */
const CLEAR = 1.96;

interface OnePair extends AbPair {
  readonly whole: AbPair['whole'] & { readonly slope: number };
  readonly apart?: Measured;
  /** Comparison of lists per user; for a split by user only. */
  readonly lists?: Contrast;
  /** Comparison of rewards with list ids per user; for a split by user only. */
  readonly named?: Contrast;
}

function measured(contrast: Contrast, { unit, leastUsers }: Judging): Measured {
  return {
    value: contrast.difference,
    stdErr: errorOf(contrast),
    freedom: freedomOf(contrast, unit, leastUsers),
  };
}

type Judging = Pick<OnePair, 'unit' | 'leastUsers'>;

/** Difference between the anchor and a sharper form, paired by user. */
function between(whole: Contrast, form: Contrast): Measured {
  const users = whole.influence.length;
  const squares = whole.influence.reduce(
    (sum, each, u) => sum + (each - form.influence[u]) ** 2,
    0,
  );
  return {
    value: whole.difference - form.difference,
    stdErr: Math.sqrt((users / (users - 1)) * squares),
    freedom: users,
  };
}

/**
 * Express a difference in rewards per request as rewards per user: multiplied by N̄, the mean
 * requests per user of both arms, which counts as known.
 */
function ofRequests(lists: Float64Array, reward: Float64Array, arm: ArrayLike<number>): Contrast {
  const ofArm = (column: Float64Array, own: number) =>
    column.map((value, u) => (arm[u] === own ? value : 0));
  const found = perRequest({
    requests: [ofArm(lists, 0), ofArm(lists, 1)],
    reward: [ofArm(reward, 0), ofArm(reward, 1)],
  });
  const mean = sumOf(lists) / lists.length;
  const { own, other, both } = found.variance;
  return {
    difference: mean * found.difference,
    own: mean * found.own,
    other: mean * found.other,
    wald: mean * found.wald,
    score: mean * found.score,
    freedom: found.freedom,
    variance: {
      own: mean ** 2 * own,
      other: mean ** 2 * other,
      both: mean ** 2 * both,
    },
    influence: found.influence.map((each) => mean * each),
  };
}

function rowsOf({ arm }: Participants, arms: readonly number[]): number[] {
  return [...arm.keys()].filter((u) => arms.includes(arm[u]));
}

/** Lists that arms served from a time on. */
function listsOf({ lists }: TestLog, since: number) {
  const rows: number[] = [];
  for (let r = 0; r < lists.length; r++) {
    if (lists.arm[r] >= 0 && lists.ts[r] >= since) {
      rows.push(r);
    }
  }
  return {
    arm: Int16Array.from(rows, (r) => lists.arm[r]),
    ts: Float64Array.from(rows, (r) => lists.ts[r]),
    share: Float64Array.from(rows, (r) => lists.share[r]),
  };
}

/** Length of a test in days, and the days of the week that it covers, in UTC. */
function daysOf({ lists }: TestLog, since: number) {
  let last = since;
  const weekdays = new Set<number>();
  for (let r = 0; r < lists.length; r++) {
    // The first of January 1970 was a Thursday.
    const weekday = (Math.floor(lists.ts[r] / DAY_MS) + 4) % 7;
    if (lists.arm[r] < 0 || lists.ts[r] < since) continue;
    weekdays.add(weekday);
    last = Math.max(last, lists.ts[r]);
  }
  const days = Math.max(1, Math.ceil((last - since) / DAY_MS));
  return {
    days,
    isWeekdaysOnly: ![...weekdays].some((weekday) => weekday === 0 || weekday === 6),
    isWholeWeek: days >= 7 && weekdays.size === 7,
  };
}

function named(arms: readonly string[], values: readonly number[]): Record<string, number> {
  return Object.fromEntries(arms.map((name, a) => [name, values[a]]));
}

function sumOf(values: Float64Array): number {
  return values.reduce((sum, each) => sum + each, 0);
}
