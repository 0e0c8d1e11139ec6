import { expect, it } from 'vitest';
import { MemoryRoom, ownMemory } from '../../../src/commands/files/memory-room.js';

const MIB = 2 ** 20;

/** What is said, and after how many chunks of 8 MiB each. */
function saidWith(thereMiB: number, share: number) {
  let used = 100 * MIB;
  const room = new MemoryRoom({ used: () => used, there: thereMiB * MIB });
  for (let chunks = 1; chunks <= 1000; chunks++) {
    used += 8 * MIB;
    try {
      room.check(share);
    } catch (error) {
      return { chunks, said: (error as Error).message };
    }
  }
  return undefined;
}

it('ends a reading before what is kept, with what evaluating it takes, would be all memory', () => {
  const ended = saidWith(2048, 0.415);
  // 100 MiB were used before; 749 more take 1948 while they are evaluated.
  expect(ended!.chunks).toBe(96);
  expect(ended!.said).toBe(
    'there is no memory for all events: what is kept at 42 % of them would take the 2.0 GiB there are; sample users by limits.rows, or give it more',
  );
  expect(saidWith(2048, 1)!.said).not.toContain('%');
});

it('lets what fits be read to its end', () => {
  expect(saidWith(100_000, 0.5)).toBeUndefined();
});

it('knows what this process uses, and that there is more', () => {
  const memory = ownMemory();
  expect(memory.used()).toBeGreaterThan(10 * MIB);
  expect(memory.there).toBeGreaterThan(memory.used());
  expect(Number.isSafeInteger(memory.there)).toBe(true);
});
