import { afterEach, describe, expect, it } from 'vitest';
import { AskedThread } from '../../../src/commands/threads/asked-thread.js';

let thread: AskedThread<unknown, unknown>;
afterEach(() => thread.close());

function start(onMessage: string): void {
  const script = `
    import { parentPort, workerData } from 'node:worker_threads';
    parentPort.on('message', (asked) => { ${onMessage} });`;
  thread = new AskedThread(new URL(`data:text/javascript,${encodeURIComponent(script)}`), 5);
}

describe('a worker thread that answers requests', () => {
  it('answers in order, using the data passed at its start', async () => {
    start('parentPort.postMessage(asked + workerData)');
    expect(await Promise.all([1, 2, 3].map((n) => thread.ask(n)))).toEqual([6, 7, 8]);
  });

  it('takes over the arrays listed for transfer and gets copies of the others', async () => {
    start('parentPort.postMessage(asked.a[0] + asked.b[0])');
    const a = Int32Array.of(3);
    const b = Int32Array.of(4);
    expect(await thread.ask({ a, b }, a)).toBe(7);
    expect([a.length, b.length]).toEqual([0, 1]);
  });

  it('rejects every open and later request once it has failed', async () => {
    start('if (asked === 2) throw new Error("no two"); parentPort.postMessage(asked)');
    // Wait for the answer: one that is still on its way when the thread fails may be lost.
    expect(await thread.ask(1)).toBe(1);
    const asked = [2, 3].map((n) => thread.ask(n));
    const told = await Promise.allSettled(asked);
    expect(told.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    await expect(asked[1]).rejects.toThrow('no two');
    await expect(thread.ask(4)).rejects.toThrow('no two');
  });

  it('rejects a request with the exit code when it exits', async () => {
    start('process.exit(3)');
    await expect(thread.ask(1)).rejects.toThrow('ended with 3');
  });
});
