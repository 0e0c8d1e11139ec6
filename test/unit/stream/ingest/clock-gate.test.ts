import { expect, it } from 'vitest';
import { Decoder } from '../../../../src/events/decode.js';
import { encodeEvent } from '../../../../src/events/encode.js';
import { Pipeline } from '../../../../src/stream/pipeline.js';
import type { LogSource, SourceHandlers } from '../../../../src/stream/ports.js';
import { quickOptions } from '../../../support/log.js';
import { TOPICS } from '../../../support/restarts.js';

const TEN_MINUTES_MS = 600_000;
const START = 1_000_000_000;
/** More than are taken in between two turns. */
const RECORDS = 3_000;

class ScriptedSource implements LogSource {
  handlers!: SourceHandlers;

  async start(handlers: SourceHandlers): Promise<void> {
    this.handlers = handlers;
  }

  async ends() {
    return [];
  }

  async stop(): Promise<void> {}
}

it('what the clock has let pass is not refused by a step of it that comes before all is taken', async () => {
  let wall = START;
  let elapsed = 0;
  const source = new ScriptedSource();
  const pipeline = new Pipeline(source, {
    ...{ monitor: quickOptions(), topics: TOPICS, start: 'earliest', idleMs: 60_000 },
    ...{ decoder: new Decoder({ maxFutureMs: 60_000 }), maxFutureMs: 60_000, now: () => wall },
    turns: {
      // Each slice is over at once, and in the first pause the clock is set back.
      now: () => {
        elapsed += 50;
        return elapsed;
      },
      next: async () => {
        wall = START - TEN_MINUTES_MS;
      },
    },
  });
  const outcomes: Record<string, number> = {};
  pipeline.applied$.subscribe((applied) => {
    applied.outcomes.forEach((outcome, count) => {
      outcomes[outcome] = (outcomes[outcome] ?? 0) + count;
    });
  });
  await pipeline.start();
  await source.handlers.assigned([0], 1, new AbortController().signal);
  const values = Array.from({ length: RECORDS }, (_, n) => {
    const event = { id: `x${n}`, ts: START, user: 'u', item: 'a' };
    return Buffer.from(encodeEvent({ type: 'interaction', ...event }));
  });
  await source.handlers.batch({
    ...{ role: 'interactions', partition: 0, values, highWatermark: RECORDS },
    offsets: Float64Array.from(values, (_, n) => n),
    recordTs: new Float64Array(RECORDS).fill(START),
  });
  expect(wall).toBe(START - TEN_MINUTES_MS);
  expect(outcomes).toEqual({ accepted: RECORDS });
  await pipeline.stop();
});
