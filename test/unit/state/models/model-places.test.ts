import { describe, expect, it } from 'vitest';
import { hashBytes } from '../../../../src/events/hash.js';
import { heardTogether } from '../../../../src/state/ids/heard-models.js';
import { Interner } from '../../../../src/state/ids/interner.js';
import { ModelNumbers, ModelPlaces } from '../../../../src/state/ids/model-places.js';

/** Two models are evaluated: places for four, or six that come back. Quiet after 10 panes. */
function world() {
  const names = new Interner();
  const models = new Interner();
  const places = new ModelPlaces({ most: 2, quietPanes: 10 }, new ModelNumbers(names, models));
  const nameOf = (text: string) => {
    const bytes = new TextEncoder().encode(text);
    return names.take(bytes, 0, bytes.length, hashBytes(bytes, 0, bytes.length));
  };
  const settle = (pane: number, lists: Readonly<Record<string, number>>) =>
    places.settle(
      pane,
      new Map(Object.entries(lists).map(([name, count]) => [nameOf(name), count])),
    );
  const held = () => [...places.heard.keys()].map((model) => models.text(model)).sort();
  return { names, models, places, settle, held };
}

describe('places for models', () => {
  it('go to models with the most lists, then by name, if places run out', () => {
    const { settle, held } = world();
    const { unplaced } = settle(0, { f: 1, e: 1, d: 9, c: 1, b: 1, a: 1 });
    expect(held()).toEqual(['a', 'b', 'c', 'd']);
    expect(unplaced).toEqual({ lists: 2, models: 2, names: ['e', 'f'] });
  });

  it('are released by the least recently heard model, once it is quiet', () => {
    const { settle, held } = world();
    settle(0, { b: 1 });
    settle(1, { a: 1, c: 1 });
    settle(2, { d: 1 });
    expect(settle(10, { x: 5 }).unplaced.models).toBe(1);
    const { gone, unplaced } = settle(11, { y: 5 });
    expect(gone.length).toBe(1);
    expect(unplaced.models).toBe(0);
    expect(held()).toEqual(['a', 'c', 'd', 'y']);
  });

  it('stay limited, like the remembered names, however many names come', () => {
    const { settle, held, places, models, names } = world();
    let most = 0;
    for (let pane = 0; pane < 1000; pane++) {
      const once = Array.from({ length: 10 }, (_, n) => [`request-${pane}-${n}`, 2]);
      settle(pane, { ...Object.fromEntries(once), steady: 1, other: 1 });
      most = Math.max(most, places.heard.size);
      if (pane > 0) expect(held()).toEqual(expect.arrayContaining(['other', 'steady']));
    }
    expect(most).toBeLessThanOrEqual(6);
    const flags = new Uint8Array(names.size);
    places.markNames(flags);
    expect(flags.reduce((sum, flag) => sum + flag, 0)).toBeLessThanOrEqual(1024);
    // Numbers of removed models are free after the sweep.
    const own = models.mark();
    for (const model of places.heard.keys()) own[model] = 1;
    for (const _ of models.sweep());
    expect(models.known).toBe(places.heard.size);
  });
});

it('partitions together hear the same, however lists are partitioned', () => {
  const whole = new Map([[1, { first: 2, last: 9 }]]);
  const parts = [
    new Map([[1, { first: 2, last: 4 }]]),
    new Map([[1, { first: 3, last: 9 }]]),
    new Map<number, { first: number; last: number }>(),
  ];
  expect(heardTogether(parts)).toEqual(whole);
  expect(heardTogether(parts.reverse())).toEqual(whole);
});
