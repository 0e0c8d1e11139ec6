import { describe, expect, it } from 'vitest';
import { utf8SequenceLength } from '../../../../src/events/utf8.js';
import { repetitions } from '../../../support/repetitions.js';

describe('utf8SequenceLength', () => {
  it('knows the length of every code point above ASCII', () => {
    const encoder = new TextEncoder();
    const wrong: number[] = [];
    for (let point = 0x80; point <= 0x10ffff; point += repetitions(7, 1)) {
      if (point >= 0xd800 && point <= 0xdfff) continue;
      const bytes = encoder.encode(String.fromCodePoint(point));
      if (utf8SequenceLength(bytes, 0, bytes.length) !== bytes.length) wrong.push(point);
    }
    expect(wrong).toEqual([]);
  });

  it('rejects what TextDecoder rejects, for all lead and boundary continuation bytes', () => {
    const borders = [0x00, 0x7f, 0x80, 0x8f, 0x90, 0x9f, 0xa0, 0xbf, 0xc0, 0xff];
    const wrong: string[] = [];
    for (let lead = 0x80; lead < 256; lead++) {
      for (const second of borders) {
        for (const third of borders) {
          for (const fourth of borders) {
            const bytes = Uint8Array.of(lead, second, third, fourth);
            const length = utf8SequenceLength(bytes, 0, 4);
            const isWrong = length === 0 ? startsWell(bytes) : !isWell(bytes, length);
            if (isWrong) wrong.push(bytes.join(' '));
          }
        }
      }
    }
    expect(wrong).toEqual([]);
  });
});

const lenient = new TextDecoder('utf-8', { ignoreBOM: true });

/** Whether the first `length` bytes are one well-formed text. */
function isWell(bytes: Uint8Array, length: number): boolean {
  return !lenient.decode(bytes.subarray(0, length)).includes('\ufffd');
}

function startsWell(bytes: Uint8Array): boolean {
  return [1, 2, 3, 4].some((length) => isWell(bytes, length));
}
