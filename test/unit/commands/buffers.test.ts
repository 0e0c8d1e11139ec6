import { describe, expect, it } from 'vitest';
import { buffersOf } from '../../../src/commands/threads/asked-thread.js';

describe('the buffers transferred with a message', () => {
  it('are those of all its arrays, however deeply nested, each once', () => {
    const a = new Int32Array(4);
    const b = new Uint8Array(2);
    const c = new Float64Array(1);
    const message = { a, deep: [{ b }, [a.subarray(1, 2)]], none: undefined, empty: null, n: 1, c };
    expect(buffersOf(message)).toEqual([a.buffer, b.buffer, c.buffer]);
    expect(buffersOf(a)).toEqual([a.buffer]);
  });

  it('exclude shared memory, which cannot be transferred', () => {
    expect(buffersOf({ shared: new Int32Array(new SharedArrayBuffer(8)) })).toEqual([]);
    expect(buffersOf(undefined)).toEqual([]);
  });

  it('exclude empty arrays, so that a constant can be sent again', () => {
    const none = new Int32Array(0);
    const { port1, port2 } = new MessageChannel();
    for (let n = 0; n < 2; n++) port1.postMessage({ none }, buffersOf({ none }));
    expect([...none]).toEqual([]);
    expect(buffersOf({ none })).toEqual([]);
    port1.close();
    port2.close();
  });
});
