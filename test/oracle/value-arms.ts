import type { LoggedRequest } from '../support/value-log.js';

/** How the definitions are applied; without shares declared for each stratum there are no arms. */
export interface ArmWorld {
  readonly requests: readonly LoggedRequest[];
  /** By arm: which list it serves; −1 where the list is drawn at random and stands in `lists[drawn]`. */
  readonly arms: readonly { readonly list: number; readonly isUniform?: boolean }[];
  readonly shares: readonly (readonly number[])[];
  readonly theta: readonly number[];
  readonly isEmpirical: boolean;
  readonly expected?: (item: string, request: LoggedRequest) => number;
}

interface Figures {
  readonly value: number;
  readonly stdErr: number;
  readonly ess: number;
}

const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
const thetaAt = (theta: readonly number[], list: readonly string[], item: string) => {
  const rank = list.indexOf(item);
  return rank < 0 || rank >= theta.length ? 0 : theta[rank];
};

/** Runs of declared strata, each long enough that every arm was served twice. */
export function strataByDefinition({ requests, arms, shares }: ArmWorld): number[] {
  const served = (from: number, to: number, arm: number) =>
    requests.filter(({ stratum = 0, arm: own }) => own === arm && stratum >= from && stratum <= to)
      .length;
  const suffices = (from: number, to: number) =>
    arms.every((_, arm) => {
      const times = served(from, to, arm);
      const never = times === 0 && shares.slice(from, to + 1).every((each) => each[arm] === 0);
      return never || times >= 2;
    });
  const ends: number[] = [];
  for (let from = 0, to = 0; to < shares.length; to++) {
    if (suffices(from, to)) {
      ends.push(to);
      from = to + 1;
    }
  }
  const last = Math.max(0, ends.length - 1);
  return shares.map((_, t) => Math.min(last, ends.filter((end) => end < t).length));
}

/** The shares that weigh a request. */
function sharesOf(world: ArmWorld, request: LoggedRequest): number[] {
  const own = request.stratum ?? 0;
  if (!world.isEmpirical) return [...world.shares[own]];
  const strata = strataByDefinition(world);
  const alike = world.requests.filter(({ stratum = 0 }) => strata[stratum] === strata[own]);
  return world.arms.map((_, arm) => alike.filter((q) => q.arm === arm).length / alike.length);
}

/** X, C, T, the doubly robust sum, and cw of the rewarded items, of a request. */
export function requestFigures(world: ArmWorld, request: LoggedRequest, model: number) {
  const { arms, theta, expected = () => 0 } = world;
  const { lists, rewards = {}, arm, candidates = Number.NaN, drawn = [0] } = request;
  const shares = sharesOf(world, request);
  const chance = (item: string) =>
    sum(
      arms.map(({ list, isUniform }, a) => {
        if (shares[a] === 0) return 0;
        return (
          shares[a] *
          (isUniform ? sum(theta.slice(...drawn)) / candidates : thetaAt(theta, lists[list], item))
        );
      }),
    );
  const own = lists[model];
  const served = lists[arms[arm].list].slice(0, theta.length);
  const supported = own.filter((item) => chance(item) > 0);
  const weight = (item: string) => thetaAt(theta, own, item) / chance(item);
  // What stands where the served list is not drawn, and in no other arm's list, is not supported.
  const rows = served
    .filter((item) => supported.includes(item) && (rewards[item] ?? 0) !== 0 && weight(item) > 0)
    .map((item) => (rewards[item] ?? 0) * weight(item));
  const shown = served.filter((item) => chance(item) > 0);
  const look = (item: string) => thetaAt(theta, served, item);
  const control = sum(shown.map((item) => look(item) * weight(item)));
  const target = sum(supported.map((item) => thetaAt(theta, own, item)));
  const known = sum(supported.map((item) => thetaAt(theta, own, item) * expected(item, request)));
  const seen = sum(shown.map((item) => look(item) * weight(item) * expected(item, request)));
  const listed = sum(own.map((item) => thetaAt(theta, own, item)));
  return { x: sum(rows), control, target, doubly: sum(rows) + known - seen, rows, listed };
}

/** r̂ from the requests of the other half of the users, as their lists showed and their users did. */
export function expectedByHalves(
  { requests, arms, theta }: Pick<ArmWorld, 'requests' | 'arms' | 'theta'>,
  halfOf: (request: LoggedRequest) => number,
) {
  return (item: string, request: LoggedRequest): number => {
    const others = requests.filter((each) => halfOf(each) !== halfOf(request));
    const shown = others.map(({ lists, arm }) => lists[arms[arm].list].slice(0, theta.length));
    const rewardOf = (q: number, each: string) => others[q].rewards?.[each] ?? 0;
    const all = [...new Set(shown.flat())];
    const rewards = (each: string) =>
      sum(shown.map((list, q) => (list.includes(each) ? rewardOf(q, each) : 0)));
    const looks = (each: string) => sum(shown.map((list) => thetaAt(theta, list, each)));
    const common = all.length === 0 ? 0 : sum(all.map(rewards)) / sum(all.map(looks));
    return (rewards(item) + 20 * common) / (looks(item) + 20);
  };
}

/** Clustered: √(factor Σ_u (Σ e)²) / Q. */
function clustered(world: ArmWorld, residual: readonly number[], of = world.requests): number {
  const users = [...new Set(of.map(clusterOf(world)))];
  const squares = users.map((user) =>
    sum(residual.filter((_, q) => clusterOf(world)(world.requests[q]) === user)),
  );
  const factor = users.length / (users.length - 1);
  return Math.sqrt(factor * sum(squares.map((each) => each ** 2))) / world.requests.length;
}

const clusterOf = (world: ArmWorld) => (request: LoggedRequest) =>
  request.cluster ?? world.requests.indexOf(request);

/** Residuals from the mean of all, or of the stratum and arm. */
function residuals(world: ArmWorld, values: readonly number[]): number[] {
  const strata = strataByDefinition(world);
  const mean = (of: readonly number[]) => sum(of) / of.length;
  return values.map((value, q) => {
    if (!world.isEmpirical) return value - mean(values);
    const { arm, stratum = 0 } = world.requests[q];
    const alike = values.filter((_, other) => {
      const request = world.requests[other];
      return request.arm === arm && strata[request.stratum ?? 0] === strata[stratum];
    });
    return value - mean(alike);
  });
}

const essOf = (rows: readonly number[]) =>
  rows.length === 0 ? 0 : sum(rows) ** 2 / sum(rows.map((each) => each ** 2));

export function ipsByDefinition(world: ArmWorld, model: number): Figures {
  const each = world.requests.map((request) => requestFigures(world, request, model));
  const x = each.map((one) => one.x);
  return {
    value: sum(x) / x.length,
    stdErr: clustered(world, residuals(world, x)),
    ess: essOf(each.flatMap(({ rows }) => rows)),
  };
}

export function drByDefinition(world: ArmWorld, model: number): Omit<Figures, 'ess'> {
  const doubly = world.requests.map((request) => requestFigures(world, request, model).doubly);
  return { value: sum(doubly) / doubly.length, stdErr: clustered(world, residuals(world, doubly)) };
}

export function snipsByDefinition(world: ArmWorld, model: number): Omit<Figures, 'ess'> {
  const each = world.requests.map((request) => requestFigures(world, request, model));
  const total = (key: 'x' | 'control' | 'target') => sum(each.map((one) => one[key]));
  const requests = each.length;
  const x = total('x');
  const c = total('control');
  const t = total('target');
  const value = (x / c) * (t / requests);
  const psi = each.map(
    (one) => value * (one.x / x - one.control / c + one.target / t - 1 / requests),
  );
  const users = [...new Set(world.requests.map(clusterOf(world)))];
  const squares = users.map(
    (user) => sum(psi.filter((_, q) => clusterOf(world)(world.requests[q]) === user)) ** 2,
  );
  return { value, stdErr: Math.sqrt(sum(squares)) };
}

export function onPolicyByDefinition(world: ArmWorld, arm: number): Omit<Figures, 'ess'> {
  const strata = strataByDefinition(world);
  const of = ({ stratum = 0 }: LoggedRequest) => strata[stratum];
  const reward = ({ rewards = {}, lists, arm: a }: LoggedRequest) =>
    sum(lists[world.arms[a].list].slice(0, world.theta.length).map((item) => rewards[item] ?? 0));
  const own = world.requests.filter((q) => q.arm === arm);
  const within = [...new Set(own.map(of))];
  const used = world.requests.filter((q) => within.includes(of(q)));
  const mean = (t: number) => {
    const rewards = own.filter((q) => of(q) === t).map(reward);
    return sum(rewards) / rewards.length;
  };
  const size = (list: readonly LoggedRequest[], t: number) =>
    list.filter((q) => of(q) === t).length;
  const value = sum(within.map((t) => (size(used, t) / used.length) * mean(t)));
  const residual = world.requests.map((q) =>
    q.arm === arm ? ((reward(q) - mean(of(q))) * size(used, of(q))) / size(own, of(q)) : 0,
  );
  const scale = world.requests.length / used.length;
  return { value, stdErr: scale * clustered(world, residual, own) };
}

/** Where each request has its own shares: the mean of what the arm was served for, weighed by 1 / s. */
export function ownOnPolicyByDefinition(world: ArmWorld, arm: number): Figures {
  const weights = world.requests.map((request) =>
    request.arm === arm ? 1 / world.shares[request.stratum ?? 0][arm] : 0,
  );
  const rows = world.requests.map(({ rewards = {}, lists, arm: a }) =>
    lists[world.arms[a].list].slice(0, world.theta.length).map((item) => rewards[item] ?? 0),
  );
  const all = sum(weights);
  const value = sum(rows.map((own, q) => weights[q] * sum(own))) / all;
  const residual = rows.map((own, q) => (weights[q] * (sum(own) - value)) / all);
  const users = [...new Set(world.requests.map(clusterOf(world)))];
  const squares = users.map((user) =>
    sum(residual.filter((_, q) => clusterOf(world)(world.requests[q]) === user)),
  );
  const weighed = rows.flatMap((own, q) => own.map((each) => weights[q] * each));
  return {
    value,
    stdErr: Math.sqrt(sum(squares.map((each) => each ** 2))),
    ess: essOf(weighed.filter((each) => each !== 0)),
  };
}

/**
 * Every way in which arms may be drawn, with its probability, where what comes of an item is θ of its
 * rank times its own worth: the mean over all of them is what an estimator expects.
 */
export function expectation(
  world: ArmWorld,
  worth: (item: string, request: number) => number,
  of: (drawn: ArmWorld) => number,
): number {
  const { requests, arms, shares, theta } = world;
  let drawn: { probability: number; requests: LoggedRequest[] }[] = [
    { probability: 1, requests: [] },
  ];
  for (const [q, request] of requests.entries()) {
    drawn = drawn.flatMap(({ probability, requests: before }) =>
      arms.flatMap(({ list }, arm) => {
        const share = shares[request.stratum ?? 0][arm];
        if (share === 0) return [];
        const rewards = Object.fromEntries(
          request.lists[list].map((item) => [
            item,
            thetaAt(theta, request.lists[list], item) * worth(item, q),
          ]),
        );
        return [
          { probability: probability * share, requests: [...before, { ...request, arm, rewards }] },
        ];
      }),
    );
  }
  return sum(drawn.map((each) => each.probability * of({ ...world, requests: each.requests })));
}
