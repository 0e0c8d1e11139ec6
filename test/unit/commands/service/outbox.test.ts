import { expect, it } from 'vitest';
import { Outbox } from '../../../../src/commands/service/outbox.js';

const QUIET = { warn: () => {}, error: () => {} };

/** An output that fails on demand. */
function output(mostBytes?: number) {
  const written: string[] = [];
  const of = { isFailing: false, attempts: 0 };
  const outbox = new Outbox<string>({
    name: 'results',
    write: async (piece) => {
      of.attempts++;
      await Promise.resolve();
      if (of.isFailing) throw new Error('no space left on the device');
      written.push(piece);
    },
    sizeOf: ({ length }) => length,
    log: QUIET,
    longestWaitMs: 1,
    ...(mostBytes !== undefined && { mostBytes }),
  });
  return { outbox, written, of };
}

it('an outbox writes all pieces in order, whenever they are added', async () => {
  for (let turns = 0; turns < 20; turns++) {
    const { outbox, written } = output();
    outbox.add('a');
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    outbox.add('b');
    await new Promise(setImmediate);
    expect([turns, ...written]).toEqual([turns, 'a', 'b']);
    expect(outbox.waiting).toBe(0);
  }
});

it('an outbox retries a piece until it is written, and reports the reason meanwhile', async () => {
  const { outbox, written, of } = output();
  of.isFailing = true;
  outbox.add('a');
  outbox.add('b');
  await expect.poll(() => of.attempts).toBeGreaterThan(5);
  expect(outbox.trouble?.reason).toBe('no space left on the device');
  expect(outbox.waiting).toBe(2);
  of.isFailing = false;
  await outbox.written();
  expect(written).toEqual(['a', 'b']);
  expect(outbox.trouble).toBeUndefined();
});

it('an outbox drops and counts pieces above its memory limit', async () => {
  const { outbox, written, of } = output(10);
  of.isFailing = true;
  for (const piece of ['12345', '67890', 'x', '']) outbox.add(piece);
  expect({ waiting: outbox.waiting, lost: outbox.lost }).toEqual({ waiting: 3, lost: 1 });
  of.isFailing = false;
  await outbox.written();
  expect(written).toEqual(['12345', '67890', '']);
  // A piece above the limit is accepted if no other piece waits.
  outbox.add('a piece that is too large');
  await outbox.written();
  expect(written.at(-1)).toBe('a piece that is too large');
});
