import { mulberry32 } from '../bench/synthetic-log.js';
import type { Direction } from './tcp-proxy.js';

/** What may happen to a group, its network, its store and its clocks. */
export type Deed =
  | { readonly what: 'kill' | 'join' | 'leave' | 'tick' | 'broker' }
  | { readonly what: 'redis' | 'freeze-redis' | 'pause'; readonly forMs: number }
  | { readonly what: 'cut'; readonly direction: Direction; readonly forMs: number }
  | { readonly what: 'clock'; readonly stepMs: number; readonly forMs: number };

export type Step = Deed & { readonly atMs: number };

export interface ScheduleOptions {
  readonly seed: number;
  readonly steps: number;
  /** Within this time all of them begin. */
  readonly withinMs: number;
  /** Time after which a silent partition counts as idle: cuts last for multiples of it. */
  readonly idleMs: number;
}

const TEN_MINUTES_MS = 600_000;
const DIRECTIONS: readonly Direction[] = ['requests', 'answers', 'both'];
/** Parts of `idle` that a cut lasts for. */
const CUTS = [0.5, 1, 3];
const KINDS = [
  'kill',
  'kill',
  'join',
  'leave',
  'tick',
  'broker',
  'redis',
  'freeze-redis',
  'pause',
  'cut',
  'cut',
  'clock',
] as const;

/** A schedule drawn at random: the same for the same seed. */
export function randomSchedule(options: ScheduleOptions): Step[] {
  const { seed, steps, withinMs, idleMs } = options;
  const random = mulberry32(seed);
  const ms = (from: number, to: number) => from + (to - from) * random();
  const pick = <T>(choices: readonly T[]): T => choices[Math.floor(random() * choices.length)]!;
  const draw = (): Deed => {
    const what = pick(KINDS);
    switch (what) {
      case 'cut':
        return { what, direction: pick(DIRECTIONS), forMs: pick(CUTS) * idleMs };
      case 'clock':
        return { what, stepMs: pick([-1, 1]) * TEN_MINUTES_MS, forMs: ms(2_000, 6_000) };
      case 'redis':
      case 'freeze-redis':
      case 'pause':
        return { what, forMs: ms(1_000, 7_000) };
      default:
        return { what };
    }
  };
  return Array.from({ length: steps }, () => ({ ...draw(), atMs: withinMs * random() })).sort(
    (a, b) => a.atMs - b.atMs,
  );
}

/** A line for each step, so that a schedule that fails can be read. */
export function scheduleText(steps: readonly Step[]): string {
  return steps
    .map(({ atMs, what, ...more }) => {
      const details = Object.entries(more).map(([key, value]) =>
        typeof value === 'number' ? `${key} ${Math.round(value)}` : `${key} ${value}`,
      );
      return [`${(atMs / 1000).toFixed(1)} s: ${what}`, ...details].join(', ');
    })
    .join('\n');
}
