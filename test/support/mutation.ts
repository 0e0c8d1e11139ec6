const HOSTILE = [
  'null',
  '-0',
  '1e999',
  '"\\ud800"',
  '{"__proto__":{}}',
  '[[[[[[[[',
  '\u0000',
  '\\u0000',
  '9007199254740993',
  '","ts":1,"ts":"',
].map((text) => Buffer.from(text));

/** One to three small accidents to the bytes of an event. */
export function mutated(event: Buffer, other: Buffer, random: () => number): Buffer {
  const below = (end: number) => Math.floor(random() * end);
  let bytes = event;
  for (let left = 1 + below(3); left > 0; left--) {
    const at = below(bytes.length + 1);
    const to = Math.min(bytes.length, at + 1 + below(8));
    const head = bytes.subarray(0, at);
    switch (below(7)) {
      case 0: {
        const changed = Buffer.from(bytes);
        if (at < changed.length) changed[at] = below(256);
        bytes = changed;
        break;
      }
      case 1:
        bytes = Buffer.concat([head, bytes.subarray(to)]);
        break;
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, to), bytes.subarray(at)]);
        break;
      case 3:
        bytes = Buffer.concat([head, HOSTILE[below(HOSTILE.length)]!, bytes.subarray(to)]);
        break;
      case 4:
        bytes = Buffer.from(head);
        break;
      case 5:
        bytes = Buffer.concat([head, other.subarray(below(other.length))]);
        break;
      default: {
        // Another digit: mostly a sound event with another time or place.
        const changed = Buffer.from(bytes);
        for (let n = at; n < changed.length; n++) {
          if (changed[n]! < 0x30 || changed[n]! > 0x39) continue;
          changed[n] = 0x30 + below(10);
          break;
        }
        bytes = changed;
      }
    }
  }
  return bytes;
}
