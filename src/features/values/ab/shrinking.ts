import { DAY_MS } from './assignment.js';
import { type Participants, rewardsByDay } from './participants.js';
import type { TestLog } from './test-log.js';

/** Least |z| of a slope at which a difference counts as shrinking. */
const LEAST_Z = 3;
/** Least number of days for a slope. */
const LEAST_DAYS = 3;

/**
 * How a difference shrinks over days: the share of it that is gone on the last day, the first day
 * of the comparison (from 1), and |z| of the slope.
 */
export type Shrinking = Readonly<Record<'share' | 'day' | 'z', number>>;

interface Compared {
  readonly arm: number;
  readonly control: number;
  readonly since: number;
  readonly end: number;
}

/** One arm, by day: number of users, and their total reward. */
interface DailyArm {
  readonly users: Float64Array;
  readonly reward: Float64Array;
}

/**
 * Test whether the difference of two arms shrinks from day to day.
 *
 *   L_d = D_d / m_d,   S = Σ_d w_d(d − d̄)L_d / Σ_d w_d(d − d̄)²
 *
 * with D_d the difference of the means of day d, m_d the mean of both arms, w_d the reward of both.
 * Users count from the day after their first list on, by whole days since the start. L is used
 * instead of D, since users who return seldom arrive later and have less reward in both arms. The
 * error is clustered by user.
 */
export function shrinkingOf(
  log: TestLog,
  users: Participants,
  of: Compared,
): Shrinking | undefined {
  const dayOf = (ts: number) => Math.floor((ts - of.since) / DAY_MS);
  const days = Math.floor((of.end - of.since) / DAY_MS);
  if (days - 1 < LEAST_DAYS) return undefined;
  const earned = rewardsByDay(log, users, dayOf);
  const sideOf = (u: number) =>
    users.arm[u] === of.arm ? 1 : users.arm[u] === of.control ? 0 : -1;
  const isCounted = (n: number) => {
    const u = earned.row[n];
    return sideOf(u) >= 0 && earned.day[n] < days && earned.day[n] > dayOf(users.first[u]);
  };
  const arms = [0, 1].map((): DailyArm => {
    return {
      users: new Float64Array(days),
      reward: new Float64Array(days),
    };
  });
  for (let u = 0; u < users.length; u++) {
    const side = sideOf(u);
    for (let d = dayOf(users.first[u]) + 1; side >= 0 && d < days; d++) {
      arms[side].users[d]++;
    }
  }
  for (let n = 0; n < earned.row.length; n++) {
    if (isCounted(n)) {
      arms[sideOf(earned.row[n])].reward[earned.day[n]] += earned.worth[n];
    }
  }
  const line = slopeOf(arms[0], arms[1]);
  const influence = new Float64Array(users.length);
  for (let u = 0; u < users.length; u++) {
    const side = sideOf(u);
    for (let d = dayOf(users.first[u]) + 1; side >= 0 && d < days; d++) {
      influence[u] -= line.ofUser(side, d);
    }
  }
  for (let n = 0; n < earned.row.length; n++) {
    const u = earned.row[n];
    if (isCounted(n)) {
      influence[u] += line.ofReward(sideOf(u), earned.day[n]) * earned.worth[n];
    }
  }
  const stdErr = Math.sqrt(influence.reduce((sum, each) => sum + each * each, 0));
  const z = line.slope / stdErr;
  if (!(Math.abs(z) > LEAST_Z) || line.slope * line.first >= 0) return undefined;
  return {
    share: 1 - line.last / line.first,
    day: line.day + 1,
    z: Math.abs(z),
  };
}

/**
 * Compute the slope of L_d, and the influence on it of one user, and of one unit of reward, by arm
 * and day.
 */
function slopeOf(control: DailyArm, arm: DailyArm) {
  const days = control.users.length;
  const weight = new Float64Array(days);
  const mean = [new Float64Array(days), new Float64Array(days)];
  const level = new Float64Array(days);
  const lift = new Float64Array(days);
  for (let d = 0; d < days; d++) {
    const earned = control.reward[d] + arm.reward[d];
    if (!(control.users[d] > 0 && arm.users[d] > 0 && earned > 0)) continue;
    weight[d] = earned;
    mean[0][d] = control.reward[d] / control.users[d];
    mean[1][d] = arm.reward[d] / arm.users[d];
    level[d] = earned / (control.users[d] + arm.users[d]);
    lift[d] = (mean[1][d] - mean[0][d]) / level[d];
  }
  const used = [...weight.keys()].filter((d) => weight[d] > 0);
  const total = used.reduce((sum, d) => sum + weight[d], 0);
  const middle = used.reduce((sum, d) => sum + weight[d] * d, 0) / total;
  const spread = used.reduce((sum, d) => sum + weight[d] * (d - middle) ** 2, 0);
  const slope = used.reduce((sum, d) => sum + weight[d] * (d - middle) * lift[d], 0) / spread;
  const average = used.reduce((sum, d) => sum + weight[d] * lift[d], 0) / total;
  const at = (d: number) => average + slope * (d - middle);
  // Influence of a user: dL = dD / m − D dm / m²; the arm has n users, both arms N.
  const ofReward = (side: number, d: number) => {
    if (weight[d] === 0) return 0;
    const own = [control, arm][side].users[d];
    const both = control.users[d] + arm.users[d];
    const moved = (side === 1 ? 1 : -1) / own - lift[d] / both;
    return ((weight[d] * (d - middle)) / spread / level[d]) * moved;
  };
  const ofUser = (side: number, d: number) => {
    if (weight[d] === 0) return 0;
    const own = [control, arm][side].users[d];
    const both = control.users[d] + arm.users[d];
    const moved = ((side === 1 ? 1 : -1) * mean[side][d]) / own - (lift[d] * level[d]) / both;
    return ((weight[d] * (d - middle)) / spread / level[d]) * moved;
  };
  const day = used[0] ?? 0;
  return {
    slope,
    first: at(day),
    last: at(used.at(-1) ?? 0),
    day,
    ofReward,
    ofUser,
  };
}
