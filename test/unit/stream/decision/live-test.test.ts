import { describe, expect, it } from 'vitest';
import { Random } from '../../../../src/estimators/mathematics/random.js';
import { LiveTest, testWithoutUsers } from '../../../../src/features/verdicts/live-test.js';
import { LiveUsers } from '../../../../src/features/verdicts/live-users.js';
import { type ExperimentEvents, NO_LIST } from '../../../../src/state/panes/experiment-events.js';
import { repetitions } from '../../../support/repetitions.js';

const DAY = 86_400_000;
const LOOK = DAY / 4;
const START = 1000 * DAY;
const DAYS = 20;
const OPTIONS = { dayMs: DAY, lookMs: LOOK, margin: 0.05, hasOtherClicks: false, settings: '' };

interface World {
  readonly users: number;
  readonly share?: number;
  /** Rewards of b against those of a. */
  readonly better?: number;
  readonly seed: number;
}

interface Entry {
  readonly ts: number;
  readonly user: number;
  readonly model?: number;
}

/** Panes of six hours: users come over all days, each with a list a look and rewards by activity. */
function* panesOf({ users, share = 0.5, better = 1, seed }: World): Generator<ExperimentEvents> {
  const random = new Random(seed, 'live');
  const known = Array.from({ length: users }, () => ({
    first: random.next() < 0.4 ? random.next() * 4 : random.next() * DAYS * 4,
    model: random.next() < share ? 1 : 0,
    rate: 0.25 * Math.exp(1.3 * random.normal() - 0.845),
  }));
  for (let look = 0; look < DAYS * 4; look++) {
    const lists: Entry[] = [];
    const rewards: Entry[] = [];
    for (const [user, { first, model, rate }] of known.entries()) {
      if (look < Math.floor(first)) continue;
      const ts = START + look * LOOK + user;
      lists.push({ ts, user, model });
      const mean = rate * (1 + 0.6 * Math.sin((Math.PI / 2) * look)) * (model === 1 ? better : 1);
      for (let n = poisson(random, mean); n > 0; n--) rewards.push({ ts: ts + 1, user });
    }
    yield eventsOf(lists, rewards);
  }
}

function poisson(random: Random, mean: number): number {
  let product = random.next();
  let count = 0;
  for (const least = Math.exp(-mean); product > least; count++) product *= random.next();
  return count;
}

function eventsOf(lists: readonly Entry[], rewards: readonly Entry[]): ExperimentEvents {
  const ones = Uint8Array.from(rewards, () => 1);
  return {
    hasOtherActions: false,
    lists: {
      user: Int32Array.from(lists, ({ user }) => user),
      ts: Float64Array.from(lists, ({ ts }) => ts),
      model: Uint16Array.from(lists, ({ model }) => model!),
      share: new Float64Array(lists.length).fill(Number.NaN),
    },
    rewards: {
      user: Int32Array.from(rewards, ({ user }) => user),
      ts: Float64Array.from(rewards, ({ ts }) => ts),
      worth: Float64Array.from(ones),
      isPositive: ones,
      model: new Uint16Array(rewards.length).fill(NO_LIST),
      listTs: new Float64Array(rewards.length).fill(Number.NaN),
      isListed: new Uint8Array(rewards.length),
      credit: new Float64Array(rewards.length),
    },
  };
}

const pane = (end: number, events: ExperimentEvents) => ({
  end,
  tickMs: LOOK,
  // Users' hashes fall into groups by their low bits.
  parts: [{ events, keyOf: (user: number) => Math.imul(user, 0x9e3779b1) >> 7 }],
  nameOf: (model: number) => ['a', 'b'][model],
  alarmed: [],
  marks: [],
});

/** The looks of a stream. */
function* looksAt(world: World, test = new LiveTest(OPTIONS)) {
  let end = START;
  for (const events of panesOf(world)) {
    end += LOOK;
    yield { end, ...test.observe(pane(end, events)) };
  }
}

describe('a live A/B test', () => {
  it('prefers one of two equal arms in at most 9 of 100 streams', () => {
    const streams = repetitions(4, 100);
    let preferred = 0;
    for (let seed = 1; seed <= streams; seed++) {
      const ever = [...looksAt({ users: 1000, seed })].some(
        ({ verdicts: [verdict] }) => verdict?.state === 'prefer',
      );
      if (ever) preferred++;
    }
    expect(preferred).toBeLessThanOrEqual(0.09 * streams);
  }, 300_000);

  it('prefers the better arm, with its lift and an anytime-valid interval', () => {
    const looks = [...looksAt({ users: 2000, better: 2.5, seed: 1 })];
    const last = looks.at(-1)!;
    expect(last.verdicts[0]).toMatchObject({ state: 'prefer', better: 'b', rule: 'sequence' });
    const [lift] = last.answer!.lifts;
    expect(lift!.liftLower).toBeGreaterThan(0);
    expect(lift!.liftUpper).toBeGreaterThan(1.5);
    expect(lift!.liftLower).toBeLessThan(1.5);
    const verdict = last.verdicts[0]!;
    expect(verdict.value).toBeCloseTo(lift!.difference, 9);
    expect(verdict.upper).toBeCloseTo(lift!.upper, 9);
    expect(looks[2]!.answer!.refusal).toMatchObject({ code: 'young' });
  });

  it.each(['alarm', 'mark'] as const)(
    'keeps its verdict until the next look, and says what overtook it: %s',
    (cause) => {
      const test = new LiveTest(OPTIONS);
      const world = { users: 2000, better: 2.5, seed: 1 };
      let end = START;
      for (const events of panesOf(world)) {
        end += LOOK;
        test.observe(pane(end, events));
      }
      const after = end + LOOK / 2;
      const marks = cause === 'mark' ? [{ model: 'b', time: end + 1 }] : [];
      const alarmed = cause === 'alarm' ? ['b'] : [];
      const nothing = eventsOf([], []);
      const overtaken = test.observe({ ...pane(after, nothing), tickMs: LOOK / 2, alarmed, marks });
      expect(overtaken.verdicts[0]).toMatchObject({
        state: 'prefer',
        better: 'b',
        changed: 'b',
        changedAt: after,
        changedBy: cause,
      });
      expect(overtaken.answer!.lifts[0]!.better).toBe('b');
      const next = test.observe({ ...pane(end + LOOK, nothing), tickMs: LOOK / 2 });
      expect(next.verdicts[0]?.changed).toBeUndefined();
      expect(next.answer?.lifts[0]?.better ?? null).toBeNull();
    },
  );

  it('continues identically from its stored state', () => {
    const world = { users: 300, better: 1.5, seed: 2 };
    const first = new LiveTest(OPTIONS);
    const second = new LiveTest(OPTIONS);
    let end = START;
    let test = first;
    const whole = [...looksAt(world)].at(-1)!;
    let last: ReturnType<LiveTest['observe']> | undefined;
    for (const events of panesOf(world)) {
      end += LOOK;
      last = test.observe(pane(end, events));
      if (end === START + 5 * DAY) {
        second.restore(first.stored());
        expect(second.observe(pane(end, events))).toEqual(last);
        test = second;
      }
    }
    expect(last).toEqual({ answer: whole.answer, verdicts: whole.verdicts });
  });

  it('restarts if a mark is set on an arm', () => {
    const test = new LiveTest(OPTIONS);
    let end = START;
    for (const events of panesOf({ users: 500, seed: 3 })) {
      end += LOOK;
      const isMarked = end === START + 3 * DAY;
      const marks = isMarked ? [{ model: 'b', time: end - 1 }] : [];
      const { answer } = test.observe({ ...pane(end, events), marks });
      if (end > START + 3 * DAY) {
        expect(answer!.since).toBe(START + 3 * DAY);
        expect(answer!.refusal).toMatchObject({ code: 'young' });
        return;
      }
    }
  });
});

describe('a user of a live A/B test', () => {
  const after = (test: LiveTest) => {
    let end = START;
    for (const events of panesOf({ users: 300, seed: 3 })) {
      end += LOOK;
      test.observe(pane(end, events));
    }
    return test.stored();
  };
  const keyOf = pane(START, [...panesOf({ users: 1, seed: 3 })][0]!).parts[0]!.keyOf;
  const keysIn = (stored: string) =>
    (JSON.parse(JSON.parse(stored).users) as { users: number[][] }).users.map(([key]) => key);

  it('who is forgotten is removed, and the sums stay unchanged', () => {
    const stored = after(new LiveTest(OPTIONS));
    const gone = keyOf(7);
    expect(keysIn(stored)).toContain(gone);
    const left = testWithoutUsers(stored, [gone, keyOf(100_000)]);
    expect(keysIn(left)).toEqual(keysIn(stored).filter((key) => key !== gone));
    const [before, now] = [stored, left].map((each) => {
      const test = new LiveTest(OPTIONS);
      test.restore(each);
      return JSON.parse(JSON.parse(test.stored()).users).sums;
    });
    expect(now).toEqual(before);
  });

  it('who comes when the test is full is left out', () => {
    const users = new LiveUsers(2);
    users.begin(2, START);
    const [first] = panesOf({ users: 50, seed: 3 });
    users.add(first!, keyOf, (model) => model);
    expect(users.isFull).toBe(true);
    expect(users.sums.users.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual(2);
    const again = new LiveUsers(2);
    again.restore(users.stored());
    expect(again.isFull).toBe(true);
  });
});
