import { describe, expect, it } from 'vitest';
import {
  type ExposureEvent,
  encodeEvent,
  type InteractionEvent,
} from '../../../src/events/encode.js';

describe('encodeEvent', () => {
  it('writes the fields in the order of the contract, whatever the object’s', () => {
    const event: InteractionEvent = {
      randomized: true,
      exposure: 'e',
      value: 2,
      action: 'rate',
      item: 'a',
      user: 'u',
      ts: 5,
      id: 'i',
      type: 'interaction',
    };
    expect(encodeEvent(event)).toBe(
      '{"type":"interaction","id":"i","ts":5,"user":"u","item":"a","action":"rate","value":2,' +
        '"exposure":"e","randomized":true}',
    );
  });

  it('leaves out what is not stated', () => {
    const event: ExposureEvent = {
      type: 'exposure',
      id: 'e',
      ts: '2025-01-01T00:00:00Z',
      user: 'u',
      model: 'm',
      items: ['a', 'b'],
    };
    expect(encodeEvent(event)).toBe(
      '{"type":"exposure","id":"e","ts":"2025-01-01T00:00:00Z","user":"u","model":"m","items":["a","b"]}',
    );
  });

  it('writes every field of an exposure', () => {
    const event: ExposureEvent = {
      type: 'exposure',
      id: 'e\n"',
      ts: 1,
      user: 'u',
      model: 'm',
      items: ['a'],
      shown: false,
      randomized: false,
      candidates: 9,
      sampled: true,
      scores: [0.5],
      propensities: [1],
      firstRank: 2,
      request: 'q',
      share: 0.9,
      depth: 3,
      propensityOf: 'conditional',
    };
    expect(encodeEvent(event)).not.toContain('\n');
    expect(JSON.parse(encodeEvent(event))).toEqual(event);
  });

  it('takes no other fields over', () => {
    const event = { type: 'interaction', id: 'i', ts: 1, user: 'u', item: 'a', model: 'm', x: 1 };
    const written = encodeEvent(event as unknown as InteractionEvent);
    expect(Object.keys(JSON.parse(written))).toEqual(['type', 'id', 'ts', 'user', 'item']);
  });
});
