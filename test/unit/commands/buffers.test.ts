import { describe, expect, it } from 'vitest';
import { buffersOf } from '../../../src/commands/threads/buffers.js';

describe('the memory that goes with a message', () => {
  it('is that of all its arrays, wherever they stand, each once', () => {
    const [a, b, c] = [new Int32Array(4), new Uint8Array(2), new Float64Array(1)];
    const message = { a, deep: [{ b }, [a.subarray(1, 2)]], none: undefined, empty: null, n: 1, c };
    expect(buffersOf(message)).toEqual([a.buffer, b.buffer, c.buffer]);
    expect(buffersOf(a)).toEqual([a.buffer]);
  });

  it('leaves out what threads share, which cannot be handed over', () => {
    expect(buffersOf({ shared: new Int32Array(new SharedArrayBuffer(8)) })).toEqual([]);
    expect(buffersOf(undefined)).toEqual([]);
  });
});
