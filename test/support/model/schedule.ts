import { mulberry32 } from '../../bench/synthetic-log.js';
import type { Direction } from '../tcp-proxy.js';
import type { StoreFault } from './shared-store.js';

/** What happens to a worker, of those that are there by then: `who` counts around. */
type WorkerDeed =
  | { readonly what: 'kill' | 'leave' }
  | { readonly what: 'pause'; readonly forMs: number }
  | { readonly what: 'clock'; readonly stepMs: number; readonly forMs: number };

/** `told`: both ends notice at once. */
interface CutDeed {
  readonly what: 'cut';
  readonly to: 'broker' | 'store' | 'both';
  readonly way: Direction | 'told';
  readonly forMs: number;
}

/** What may happen to a group, its network, its store and its clocks. */
export type Deed =
  | { readonly what: 'join' }
  | (WorkerDeed & { readonly who: number })
  | (CutDeed & { readonly who: number | 'all' })
  | { readonly what: 'store'; readonly fault: StoreFault; readonly forMs: number }
  /** A transaction stays open in topic-partitions, one bit each. */
  | { readonly what: 'transaction'; readonly of: number; readonly forMs: number }
  /** Topic-partitions without traffic, one bit each. */
  | { readonly what: 'silence'; readonly of: number; readonly forMs: number };

/** With the moment at which it begins, ms. */
export type ModelStep = { readonly at: number } & Deed;

export interface ModelSchedule {
  readonly seed: number;
  /** How often checkpoints are made, ms. */
  readonly everyMs: number;
  /** How long anything is written, ms: nothing repairs what happens later. */
  readonly trafficMs: number;
  readonly steps: readonly ModelStep[];
}

export const IDLE_MS = 1_000;
/** Within this time all steps begin. */
export const WITHIN_MS = 12_000;
const TEN_MINUTES_MS = 600_000;
/** Parts of `idle` that a cut lasts for. */
const CUTS = [0.5, 1, 3, 10];
const KINDS = [
  'kill',
  'kill',
  'join',
  'join',
  'leave',
  'pause',
  'pause',
  'cut',
  'cut',
  'cut',
  'cut',
  'store',
  'store',
  'clock',
  'silence',
  'transaction',
] as const;
const FAULTS = ['stands-still', 'refuses', 'denies', 'is-slow'] as const;

/** A schedule drawn at random: the same for the same seed. */
export function drawnSchedule(seed: number): ModelSchedule {
  const random = mulberry32(seed);
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const ms = (from: number, to: number) => Math.round(from + (to - from) * random());
  const draw = (): Deed => {
    const what = pick(KINDS);
    const who = ms(0, 3);
    switch (what) {
      case 'join':
        return { what };
      case 'kill':
      case 'leave':
        return { what, who };
      case 'pause':
        return { what, who, forMs: ms(500, 9_000) };
      case 'clock':
        return { what, who, stepMs: pick([-1, 1]) * TEN_MINUTES_MS, forMs: ms(1_000, 8_000) };
      case 'store':
        return { what, fault: pick(FAULTS), forMs: ms(500, 9_000) };
      case 'silence':
      case 'transaction':
        return { what, of: ms(1, 255), forMs: ms(1_000, 8_000) };
      case 'cut': {
        const to = pick(['broker', 'store', 'both'] as const);
        const way = pick(['requests', 'answers', 'both', 'told'] as const);
        return { what, to, way, who: pick([who, 'all' as const]), forMs: pick(CUTS) * IDLE_MS };
      }
    }
  };
  const everyMs = pick([500, 2_000, 5_000]);
  const steps = Array.from({ length: ms(4, 12) }, () => ({ at: ms(500, WITHIN_MS), ...draw() }));
  const trafficMs = ms(WITHIN_MS / 2, 1.5 * WITHIN_MS);
  return { seed, everyMs, trafficMs, steps: steps.sort((a, b) => a.at - b.at) };
}

/** As it is written in a test, a line for each step. */
export function pasted({ seed, everyMs, trafficMs, steps }: ModelSchedule): string {
  const numbers = [`seed: ${seed}`, `everyMs: ${everyMs}`, `trafficMs: ${trafficMs}`];
  const lines = steps.map((step) => {
    const fields = Object.entries(step).map(([key, value]) => {
      return `${key}: ${typeof value === 'string' ? `'${value}'` : value}`;
    });
    return `    { ${fields.join(', ')} },`;
  });
  return ['{', `  ${numbers.join(', ')},`, '  steps: [', ...lines, '  ],', '}'].join('\n');
}
