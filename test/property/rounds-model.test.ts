import { describe, expect, it } from 'vitest';
import { IS_LONG, repetitions } from '../support/repetitions.js';
import { type Broken, RoundWorld } from '../support/rounds/round-world.js';

const RUNS = repetitions(80, 10_000);

describe('workers that follow the protocol of rounds, whatever befalls them', () => {
  it('never disagree on a pane, conclude none twice differently, and get to the end', () => {
    const seen = { panes: 0, deaths: 0, zombies: 0, losses: 0, joiners: 0, blind: 0 };
    for (let seed = 0; seed < RUNS; seed++) {
      const { faults, ...counts } = new RoundWorld(seed).run();
      expect(faults, `seed ${seed}`).toEqual([]);
      for (const [what, count] of Object.entries(counts)) {
        seen[what as keyof typeof seen] += count;
      }
    }
    // The runs are of use only where all of it befalls them.
    for (const [what, count] of Object.entries(seen)) {
      if (what !== 'blind' || IS_LONG) expect(count, what).toBeGreaterThan(RUNS / 500);
    }
    expect(seen.panes).toBeGreaterThan(RUNS * 15);
  });
});

describe('a protocol that lacks a part', () => {
  const firstFault = (broken: Broken): string | undefined => {
    for (let seed = 0; seed < 300; seed++) {
      const [fault] = new RoundWorld(seed, broken).run().faults;
      if (fault !== undefined) return fault;
    }
    return undefined;
  };

  for (const broken of ['cuts', 'validity', 'nonce', 'restart'] as const) {
    it(`is found out: without ${broken}`, () => {
      expect(firstFault(broken)).toMatch(/^pane \d+|^no progress/);
    });
  }
});
