import { expect, it } from 'vitest';
import { NumberSums } from '../../../../src/estimators/partitions/number-sums.js';
import { oneForAll } from '../../../../src/estimators/partitions/one-for-all.js';
import { ALONE, type Rounds } from '../../../../src/estimators/partitions/rounds.js';
import { sideBySide } from '../../../../src/estimators/partitions/side-by-side.js';
import { type Log, loggedRounds, NAMES, together } from '../../../support/several-processes.js';

/** What partitions hold, by their number. */
const HELD = [0.1, 0.2, 0.3, 1e9];

/** Sums the powers of what partitions hold, one after the other: each rests on the one before. */
function* powers(rounds: Rounds, own: readonly number[], most: number): Generator<void, number> {
  let sum = 0;
  for (let power = 1; power <= most; power++) {
    const added = yield* rounds.gather(new NumberSums(1), own, function* add(into, p) {
      yield;
      into.values[0]! += HELD[p]! ** power / (1 + sum);
    });
    sum += added.values[0]!;
    // Some have more to do between two rounds than others.
    for (let n = 0; n < own[0]! + most; n++) yield;
  }
  return sum;
}

function found(rounds: Rounds, own: readonly number[]): Generator<void, number[]> {
  const works = [3, 1, 5].map((most) => (given: Rounds) => powers(given, own, most));
  return sideBySide(works, rounds);
}

it('rounds of several works go as one, and come to the same bits', () => {
  const log: Log = new Map();
  const shares = [[0, 3], [1], [2]];
  const all = together(shares.map((own) => found(loggedRounds(own, HELD.length, log, NAMES), own)));
  const [alone] = together([found(ALONE, [0, 1, 2, 3])]);
  for (const each of all) expect(each).toEqual(alone);
  // As many as the longest has, instead of nine.
  expect(log.size / HELD.length).toBe(5);
});

it('rounds that go together are refused where they are cut short, or are more than are known', () => {
  const cut = (change: (bytes: Uint8Array) => Uint8Array) => {
    const log: Log = new Map();
    const rounds = loggedRounds([0], 1, log, NAMES);
    const set = log.set.bind(log);
    log.set = (key, bytes) => set(key, change(bytes));
    return () => together([found(rounds, [0])]);
  };
  expect(cut((bytes) => bytes.subarray(0, -1))).toThrow('cut short');
  expect(cut((bytes) => new Uint8Array([...bytes, 0]))).toThrow('more rounds');
});

it('what one process does for all falls to another one in each of the works', () => {
  const log: Log = new Map();
  const done: string[] = [];
  const works = [[0, 3], [1], [2]].map((own, w) => {
    const asked = ['first', 'second'].map((name) => (rounds: Rounds) => {
      function* compute() {
        yield;
        done.push(`${name} by ${w}`);
        return { name };
      }
      return oneForAll(own, compute, rounds);
    });
    return sideBySide(asked, loggedRounds(own, HELD.length, log, NAMES));
  });
  const wanted = [{ name: 'first' }, { name: 'second' }];
  expect(together(works)).toEqual([wanted, wanted, wanted]);
  expect(done).toEqual(['first by 0', 'second by 1']);
});

it('whole numbers of a process go once, all others by partition', () => {
  for (const order of ['any', 'partitions'] as const) {
    const log: Log = new Map();
    const works = [[0, 2], [1]].map((own) => {
      const rounds = loggedRounds(own, 3, log, NAMES);
      return rounds.gather(new NumberSums(1, order), own, function* add({ values }, p) {
        values[0] = p + 1;
        yield;
      });
    });
    for (const { values } of together(works)) expect([...values]).toEqual([6]);
    expect(log.get('0 2')!.length > 1).toBe(order === 'partitions');
  }
});
