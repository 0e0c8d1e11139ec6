import { expect, it } from 'vitest';
import { MemoryRoom, ownMemory } from '../../../src/commands/files/memory-room.js';

const MIB = 2 ** 20;

/** The warnings, and after how many chunks of 8 MiB each comes. */
function saidWith(thereMiB: number, share: number) {
  let used = 100 * MIB;
  let chunks = 0;
  const said: { chunks: number; line: string }[] = [];
  const memory = { used: () => used, there: thereMiB * MIB };
  const room = new MemoryRoom((line) => said.push({ chunks, line }), memory);
  for (chunks = 1; chunks <= 1000; chunks++) {
    used += 8 * MIB;
    room.check(share);
  }
  return said;
}

it('MemoryRoom warns once, before evaluating the events would need all memory', () => {
  const [first, ...more] = saidWith(2048, 0.415);
  // 100 MiB were used before; 749 more take 1948 while they are evaluated.
  expect(first).toEqual({
    chunks: 96,
    line: 'warning: memory may not suffice for all events. The events read so far (42 % of all) may already need all 2.0 GiB. Set limits.rows lower to sample users, or give unskew more memory\n',
  });
  expect(more).toEqual([]);
  expect(saidWith(2048, 1)[0]!.line).not.toContain('%');
});

it('MemoryRoom does not warn where memory suffices', () => {
  expect(saidWith(100_000, 0.5)).toEqual([]);
});

it('ownMemory returns the memory that this process uses and a larger limit', () => {
  const memory = ownMemory();
  expect(memory.used()).toBeGreaterThan(10 * MIB);
  expect(memory.there).toBeGreaterThan(memory.used());
  expect(Number.isSafeInteger(memory.there)).toBe(true);
});
