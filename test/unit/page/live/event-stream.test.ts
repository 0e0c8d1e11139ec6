import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { EventParser } from '../../../../src/page/event-stream.js';

const STREAM =
  'retry: 2000\n\nid: 1\nevent: tick\ndata: {"a":1}\n\n: still here\n\n' +
  'event: tick\r\ndata: one\r\ndata:two\r\n\r\ndata\n\nevent: other\n\ndata: x: y\n\n';

const EVENTS = [
  { event: 'tick', data: '{"a":1}' },
  { event: 'tick', data: 'one\ntwo' },
  { event: '', data: '' },
  { event: '', data: 'x: y' },
];

describe('server-sent events', () => {
  it('are the same however the stream is split', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(STREAM.length)), (cuts) => {
        const places = [0, ...cuts.sort((a, b) => a - b), STREAM.length];
        const parser = new EventParser();
        const found = places.flatMap((place, n) =>
          n === 0 ? [] : parser.push(STREAM.slice(places[n - 1], place)),
        );
        expect(found).toEqual(EVENTS);
      }),
    );
  });

  it('that are incomplete are not emitted', () => {
    const parser = new EventParser();
    expect(parser.push('event: tick\ndata: 1\n')).toEqual([]);
    expect(parser.push('\n')).toEqual([{ event: 'tick', data: '1' }]);
  });
});
