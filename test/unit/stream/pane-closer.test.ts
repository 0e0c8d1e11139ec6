import { expect, it } from 'vitest';
import type { Monitor } from '../../../src/stream/panes/monitor.js';
import { PaneCloser } from '../../../src/stream/read/pane-closer.js';

it('closes a pane that comes at whatever point of the closing of another', async () => {
  for (let turns = 0; turns < 30; turns++) {
    let due = 1;
    const monitor = {
      closable: () => (due > 0 ? 1 : undefined),
      *close() {
        due--;
        yield;
      },
    };
    const clock = { now: () => 0, next: async () => {} };
    const closer = new PaneCloser(monitor as unknown as Monitor, clock);
    void closer.poke();
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    due++;
    void closer.poke();
    await new Promise(setImmediate);
    expect([turns, due]).toEqual([turns, 0]);
    await closer.stop();
  }
});

it('passes on why a pane cannot be closed, once', async () => {
  const monitor = {
    closable: () => 1,
    // biome-ignore lint/correctness/useYield: it fails before it has anything to wait for
    *close(): Generator<void, undefined> {
      throw new Error('no');
    },
  };
  const closer = new PaneCloser(monitor as unknown as Monitor, {
    now: () => 0,
    next: async () => {},
  });
  const failures: unknown[] = [];
  closer.panes$.subscribe({ error: (error) => failures.push(error) });
  await closer.poke();
  await new Promise(setImmediate);
  expect(failures).toEqual([new Error('no')]);
});
