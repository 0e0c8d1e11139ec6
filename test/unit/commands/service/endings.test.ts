import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it, vi } from 'vitest';
import type { Logger } from '../../../../src/commands/cli/io.js';
import { type Ending, Endings } from '../../../../src/commands/service/endings.js';

const NEVER = new Promise<void>(() => {});
const LONG_MS = 60_000;

function endings(timeoutMs: number, stream: () => Promise<void>) {
  const ended: string[] = [];
  const errors: unknown[] = [];
  const log = { error: (fields: unknown) => errors.push(fields) } as unknown as Logger;
  const part = (name: string, end: () => Promise<void>, lost?: string): Ending => ({
    name,
    end: async () => {
      await end();
      ended.push(name);
    },
    ...(lost === undefined ? {} : { lost: () => lost }),
  });
  const all = new Endings(log, timeoutMs, part('stream', stream));
  return { all, part, ended, errors };
}

it('shutdown ends the stream before anything else', async () => {
  const { all, part, ended } = endings(LONG_MS, () => sleep(5));
  all.opened(part('letters', async () => {}));
  expect(await all.run()).toBeUndefined();
  expect(ended).toEqual(['stream', 'letters']);
});

it('shutdown ends all other parts if the stream hangs, and names the stream', async () => {
  const { all, part, ended } = endings(100, () => NEVER);
  all.opened(part('letters', async () => {}, 'unasked'));
  all.opened(part('server', async () => {}));
  const overdue = await all.run();
  expect(overdue?.message).toBe(
    'forced to stop: these parts were still running after stopTimeout (0.1 s): stream',
  );
  expect(overdue?.exitCode).toBe(1);
  expect(ended).toEqual(['letters', 'server']);
});

it('shutdown reports what a hanging part loses, and ends the others without waiting', async () => {
  const { all, part, ended } = endings(100, async () => {});
  all.opened(part('letters', () => NEVER, '7 not written'));
  all.opened(part('sets', () => NEVER));
  all.opened(part('server', async () => {}));
  const overdue = await all.run();
  expect(overdue?.message).toMatch(/s\): letters \(7 not written\), sets$/);
  expect(ended).toEqual(['stream', 'server']);
});

it('shutdown logs a part that fails, ends the others, and does not call it overdue', async () => {
  const { all, part, ended, errors } = endings(LONG_MS, () => Promise.reject(new Error('broken')));
  all.opened(part('server', async () => {}));
  expect(await all.run()).toBeUndefined();
  expect(ended).toEqual(['server']);
  expect(errors).toEqual([{ err: new Error('broken'), part: 'stream' }]);
});

it('shutdown keeps to its deadline if the clock is set back', { timeout: 20_000 }, async () => {
  vi.useFakeTimers({ toFake: ['Date'] });
  try {
    const { all, part } = endings(100, async () => {
      vi.setSystemTime(Date.now() - 600_000);
    });
    all.opened(part('letters', () => NEVER));
    expect((await all.run())?.message).toMatch(/s\): letters$/);
  } finally {
    vi.useRealTimers();
  }
});
