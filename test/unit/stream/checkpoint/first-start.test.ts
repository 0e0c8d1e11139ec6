import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { UnskewError } from '../../../../src/errors.js';
import type { ToldOf } from '../../../../src/stream/checkpoint/checkpointer.js';
import {
  type CheckpointEvent,
  Checkpointer,
} from '../../../../src/stream/checkpoint/checkpointer.js';
import { MemoryCheckpointStore } from '../../../support/memory-checkpoint-store.js';

const HELD = new AbortController().signal;

/** An empty store, and the committed offsets that the log has for the group. */
function aStart(toldOf?: ToldOf) {
  const store = new MemoryCheckpointStore();
  const checkpointer = new Checkpointer({
    store,
    everyMs: 1_000,
    written: async () => {},
    turns: { now: () => performance.now(), next: () => nextTurn() },
    now: Date.now,
    ...(toldOf && { toldOf }),
  });
  const told: CheckpointEvent[] = [];
  checkpointer.events$.subscribe((event) => told.push(event));
  return { checkpointer, told, store };
}

describe('a partition without a checkpoint', () => {
  it('counts as new if the group never committed it, else as lost', async () => {
    let questions = 0;
    const { checkpointer, told } = aStart(async () => {
      questions++;
      return [1];
    });
    checkpointer.hold([0, 1, 2], HELD);
    for (const p of [0, 1, 2]) expect(await checkpointer.take(p, HELD)).toBeUndefined();
    expect(told).toEqual([
      { partition: 0, outcome: 'first' },
      { partition: 1, outcome: 'absent' },
      { partition: 2, outcome: 'first' },
    ]);
    expect(questions).toBe(1);
  });

  it('is checked for committed offsets with each assignment', async () => {
    const committed: number[] = [];
    const { checkpointer, told } = aStart(async () => [...committed]);
    for (const wanted of ['first', 'absent']) {
      checkpointer.hold([0], HELD);
      await checkpointer.take(0, HELD);
      expect(told.at(-1)).toEqual({ partition: 0, outcome: wanted });
      committed.push(0);
    }
  });

  it('counts as lost if the log does not answer, with the error', async () => {
    const error = new UnskewError('BROKER', 'no answer');
    const { checkpointer, told } = aStart(() => Promise.reject(error));
    checkpointer.hold([0], HELD);
    await checkpointer.take(0, HELD);
    expect(told).toEqual([{ partition: 0, outcome: 'absent', error }]);
  });

  it('counts as lost if commits cannot be looked up', async () => {
    const { checkpointer, told } = aStart();
    checkpointer.hold([0], HELD);
    await checkpointer.take(0, HELD);
    expect(told).toEqual([{ partition: 0, outcome: 'absent', error: expect.any(UnskewError) }]);
  });
});
