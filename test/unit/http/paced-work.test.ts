import { describe, expect, it } from 'vitest';
import { History } from '../../../src/outputs/history/history.js';
import { seriesKey } from '../../../src/outputs/history/series.js';
import { PacedWork } from '../../../src/outputs/http/paced-work.js';

/** A thread whose clock advances by 1 ms per reading, and that counts turns of other work. */
function thread() {
  let now = 0;
  let turns = 0;
  return {
    turns: () => turns,
    pacing: {
      now: () => ++now,
      next: async () => {
        turns++;
      },
    },
  };
}

function* steps<T>(count: number, log: T[], name: T): Generator<void, T> {
  for (let n = 0; n < count; n++) {
    log.push(name);
    yield;
  }
  return name;
}

describe('paced work', () => {
  it('yields to other work after every few steps', async () => {
    const { turns, pacing } = thread();
    expect(await new PacedWork(pacing).run(() => steps(900, [], 'a'))).toBe('a');
    expect(turns()).toBeGreaterThanOrEqual(300);
  });

  it('runs jobs one after the other', async () => {
    const work = new PacedWork(thread().pacing);
    const log: string[] = [];
    const names = ['a', 'b', 'c'];
    expect(await Promise.all(names.map((name) => work.run(() => steps(10, log, name))))).toEqual(
      names,
    );
    expect(log).toEqual(names.flatMap((name) => Array.from({ length: 10 }, () => name)));
  });

  it('continues after a failed job, and skips a job that is no longer wanted', async () => {
    const work = new PacedWork(thread().pacing);
    const log: string[] = [];
    const broken = work.run(() => {
      throw new Error('broken');
    });
    const unwanted = work.run(
      () => steps(1, log, 'unwanted'),
      () => false,
    );
    const next = work.run(() => steps(1, log, 'next'));
    await expect(broken).rejects.toThrow('broken');
    expect(await unwanted).toBeUndefined();
    expect(await next).toBe('next');
    expect(log).toEqual(['next']);
  });

  it('is full while 64 jobs wait, and not once they are done', async () => {
    const work = new PacedWork(thread().pacing);
    const all = Array.from({ length: 64 }, (_, n) => work.run(() => steps(1, [], n)));
    expect(work.isFull).toBe(true);
    await Promise.all(all);
    expect(work.isFull).toBe(false);
  });
});

it('history is read one series per step, without ticks that are added meanwhile', () => {
  const history = new History({ keepMs: 3_600_000 });
  const keys = Array.from({ length: 50 }, (_, n) =>
    seriesKey('popularity', ['s', `m${n}`], 'gini'),
  );
  const add = (minute: number) =>
    history.add(
      minute * 60_000,
      keys.map((key) => [key, 0.5]),
      [],
    );
  for (const minute of [1, 2, 3]) add(minute);
  const work = history.selecting('popularity', { labels: {} });
  let stepsTaken = 0;
  for (;;) {
    const step = work.next();
    if (step.done) {
      expect(step.value.times).toEqual([60_000, 120_000, 180_000]);
      expect(step.value.series).toHaveLength(50);
      break;
    }
    if (stepsTaken++ === 10) add(4);
  }
  expect(stepsTaken).toBe(50);
});
