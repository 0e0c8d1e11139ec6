import { afterEach, describe, expect, it } from 'vitest';
import type { DeadLetter, DeadLetterSink } from '../../src/stream/ports.js';

export interface DeadLetterHarness {
  readonly sink: DeadLetterSink;
  /** All letters that are kept, in order. */
  kept(): Promise<DeadLetter[]>;
  close(): Promise<void>;
}

function letter(offset: number, value: Uint8Array | string, detail = 'ts: expected'): DeadLetter {
  const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
  return { reason: 'wrong_type', detail, topic: 'events', partition: 3, offset, value: bytes };
}

/** What every implementation of `DeadLetterSink` keeps to. */
export function deadLetterSinkContract(
  name: string,
  makeHarness: () => Promise<DeadLetterHarness>,
): void {
  describe(`${name} as a dead-letter sink`, () => {
    let harness: DeadLetterHarness | undefined;
    afterEach(async () => {
      await harness?.close();
      harness = undefined;
    });

    it('keeps the bytes unchanged, with their reason and position', async () => {
      harness = await makeHarness();
      const letters = [
        letter(1, '{"half":'),
        letter(2, Uint8Array.of(0xff, 0xfe, 0x00, 0x0a, 0x80), 'byte 0'),
        letter(3, ''),
        letter(2 ** 40, 'Ünïcode\n"quoted"', 'a "detail",\nof two lines é'),
      ];
      await harness.sink.write(letters);
      const kept = await harness.kept();
      expect(kept.map((each) => ({ ...each, value: [...each.value] }))).toEqual(
        letters.map((each) => ({ ...each, value: [...each.value] })),
      );
    });

    it('keeps letters in the order of concurrent writes', async () => {
      harness = await makeHarness();
      const { sink } = harness;
      await Promise.all([0, 1, 2].map((block) => sink.write(block10(block))));
      await sink.write([]);
      const kept = await harness.kept();
      expect(kept.map(({ offset }) => offset)).toEqual(Array.from({ length: 30 }, (_, i) => i));
    });

    it('keeps at least the beginning of a letter of a million bytes', async () => {
      harness = await makeHarness();
      const value = Uint8Array.from({ length: 1_000_000 }, (_, i) => i % 251);
      await harness.sink.write([letter(0, value), letter(1, 'small')]);
      const [big, small] = await harness.kept();
      const length = big?.value.length ?? 0;
      expect(length).toBeGreaterThanOrEqual(900_000);
      expect(Buffer.compare(big?.value as Uint8Array, value.subarray(0, length))).toBe(0);
      expect(small?.offset).toBe(1);
    });

    it('can be closed unused', async () => {
      harness = await makeHarness();
      await harness.sink.close();
    });
  });
}

function block10(block: number): DeadLetter[] {
  return Array.from({ length: 10 }, (_, i) => letter(block * 10 + i, 'x'));
}
