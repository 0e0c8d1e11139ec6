import { afterEach, expect, it } from 'vitest';
import type { Logger } from '../../../../src/commands/cli/io.js';
import { DeadLetterQueue } from '../../../../src/commands/service/dead-letter-queue.js';
import { Patience } from '../../../../src/stream/patience.js';
import type { DeadLetter, DeadLetterSink } from '../../../../src/stream/ports.js';
import { reachableBytes } from '../../../support/collect.js';
import { repetitions } from '../../../support/repetitions.js';

const MIB = 1024 * 1024;
const BUDGET = 32 * MIB;
/** The short run adds 60 MB, and the test allows 36 MB. */
const LARGE_LETTERS = repetitions(600, 10_000);
/** The short run would pin 20 MB if letters kept their fetch buffers, and the test allows 8 MB. */
const SMALL_LETTERS = repetitions(20, 4_000);
const DETAILS = repetitions(30, 200);

/** A sink that hangs until it is released. */
class HangingSink implements DeadLetterSink {
  readonly written: DeadLetter[] = [];
  #letGo!: () => void;
  readonly #free = new Promise<void>((resolve) => {
    this.#letGo = resolve;
  });

  async write(letters: readonly DeadLetter[]): Promise<void> {
    await this.#free;
    this.written.push(...letters);
  }

  letGo(): void {
    this.#letGo();
  }

  async close(): Promise<void> {}
}

let sink = new HangingSink();
let counted: Record<string, number> = {};

afterEach(() => {
  sink = new HangingSink();
  counted = {};
});

function queue(budget = BUDGET): DeadLetterQueue {
  const series = {
    deadLetters: (outcome: string, count: number) => {
      counted[outcome] = (counted[outcome] ?? 0) + count;
    },
  };
  return new DeadLetterQueue({ sink, patience: new Patience() }, series, {} as Logger, budget);
}

function letter(value: Uint8Array, offset = 0, detail = 'the event is not JSON'): DeadLetter {
  return { reason: 'not_json', detail, topic: 't', partition: 0, offset, value };
}

it('the queue keeps large letters within its memory budget while the sink hangs', async () => {
  const letters = queue();
  const before = reachableBytes();
  for (let n = 0; n < LARGE_LETTERS; n++) {
    letters.add([letter(new Uint8Array(100_000), n)]);
    // Give the sink the first letters, as happens between two batches.
    if (n === 10) await new Promise(setImmediate);
  }
  expect(reachableBytes() - before).toBeLessThan(BUDGET + 4 * MIB);
  expect(letters.waiting).toBeGreaterThan(250);
  expect(letters.waiting + counted['discarded']!).toBe(LARGE_LETTERS);
  sink.letGo();
  await letters.close();
  expect(counted['written']! + counted['discarded']!).toBe(LARGE_LETTERS);
  expect(letters.waiting).toBe(0);
});

it('the queue keeps 60 bytes of a letter, not the megabyte they came in', async () => {
  const letters = queue();
  const before = reachableBytes();
  for (let n = 0; n < SMALL_LETTERS; n++) {
    const fetched = new Uint8Array(1_000_000).fill(n % 251);
    letters.add([letter(fetched.subarray(500, 560), n)]);
  }
  expect(reachableBytes() - before).toBeLessThan(8 * MIB);
  expect(letters.waiting).toBe(SMALL_LETTERS);
  sink.letGo();
  await letters.close();
  expect(sink.written.map(({ offset }) => offset)).toEqual(
    Array.from({ length: SMALL_LETTERS }, (_, n) => n),
  );
  for (const { offset, value } of sink.written) {
    expect([...value]).toEqual(new Array(60).fill(offset % 251));
  }
});

it('the queue keeps 200 characters of a detail, not the text around them', () => {
  const letters = queue();
  const before = reachableBytes();
  for (let n = 0; n < DETAILS; n++) {
    const whole = `${n} `.repeat(250_000);
    letters.add([letter(new Uint8Array(60), n, whole.slice(0, 200))]);
  }
  expect(letters.waiting).toBe(DETAILS);
  expect(reachableBytes() - before).toBeLessThan(8 * MIB);
});

it('the queue writes a megabyte or one letter at a time, and frees the memory', async () => {
  const sizes: number[] = [];
  const letters = new DeadLetterQueue(
    {
      sink: {
        write: async (slice) => {
          sizes.push(slice.length);
        },
        close: async () => {},
      },
      patience: new Patience(),
    },
    { deadLetters: () => {} },
    {} as Logger,
    4 * MIB,
  );
  for (let round = 0; round < 3; round++) {
    for (let n = 0; n < 3; n++) letters.add([letter(new Uint8Array(600_000))]);
    letters.add([letter(new Uint8Array(2 * MIB))]);
    for (let n = 0; n < 100; n++) letters.add([letter(new Uint8Array(60))]);
    await letters.close();
    expect(letters.waiting).toBe(0);
  }
  expect(sizes).toEqual([1, 1, 1, 1, 100, 1, 1, 1, 1, 100, 1, 1, 1, 1, 100]);
});

it('the queue drops a letter above its memory budget, and keeps a smaller one', () => {
  const letters = queue(10_000);
  letters.add([letter(new Uint8Array(20_000)), letter(new Uint8Array(60))]);
  expect(letters.waiting).toBe(1);
  expect(counted).toEqual({ discarded: 1 });
});

it('the queue keeps at most 10,000 letters, however small they are', () => {
  const letters = queue();
  letters.add(Array.from({ length: 10_001 }, () => letter(new Uint8Array(0))));
  expect(letters.waiting).toBe(10_000);
  expect(counted).toEqual({ discarded: 1 });
});
