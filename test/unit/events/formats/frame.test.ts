import { describe, expect, it } from 'vitest';
import { frameOf } from '../../../../src/events/formats/frame.js';

const GUID = Array.from({ length: 16 }, (_, n) => 0xf0 + n);
const read = (...bytes: number[]) => frameOf(Uint8Array.from(bytes), 0, bytes.length);

describe('the frame of a record', () => {
  it.each([
    [[0, 0, 0, 7], 'id 7'],
    [[1, 2, 3, 4], 'id 16909060'],
    [[0xff, 0xff, 0xff, 0xff], 'id 4294967295'],
  ])('has the schema id of all four bytes %o', (id, key) => {
    expect(read(0, ...id, 42)).toEqual({ key, start: 5, indexes: undefined });
  });

  it('has the GUID of a schema', () => {
    const key = 'guid f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff';
    expect(read(1, ...GUID, 42)).toEqual({ key, start: 17, indexes: undefined });
  });

  it('is missing if the value begins otherwise, or is too short', () => {
    expect([read(), read(2, 0, 0, 0, 7), read(0, 0, 0, 7), read(1, ...GUID.slice(1))]).toEqual(
      Array.from({ length: 4 }, () => undefined),
    );
  });

  it('comes from the header if there is one, with the message indexes that follow', () => {
    const header = Uint8Array.of(0, 0, 0, 0, 7, 2);
    const value = Uint8Array.of(9, 9);
    expect(frameOf(value, 0, 2, header)).toEqual({
      key: 'id 7',
      start: 0,
      indexes: Uint8Array.of(2),
    });
    expect(frameOf(value, 0, 2, header.subarray(0, 5))?.indexes).toBeUndefined();
  });
});
