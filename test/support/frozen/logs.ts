import {
  type ExposureEvent,
  encodeEvent,
  type InteractionEvent,
} from '../../../src/events/encode.js';
import type { SimulationOptions } from '../../../src/simulation/options.js';
import { Simulation } from '../../../src/simulation/simulation.js';

type Event = ExposureEvent | InteractionEvent;

/** A log whose outputs are frozen, with what it is read by. */
export interface FrozenLog {
  readonly events: readonly Event[];
  readonly partitions: number;
  /** Settings of all outputs, by their path. */
  readonly settings: Readonly<Record<string, unknown>>;
}

const START = Date.UTC(2025, 0, 1);
const CYCLES = 4;
const CYCLE_MS = 3_600_000;
/** As few numbers as show each kind of a row. */
export const FEW = {
  'time.tick': '30m',
  'time.windows': '1h,2h',
  'time.lateness': '1m',
  'dedupe.ttl': '3h',
  'popularity.horizon': '1d',
  'estimates.metrics': 'recall,ndcg,auc',
  'estimates.ks': '5',
  'estimates.estimators': 'naive,snips,gs,skew,wtd_h',
};
export const RATED = {
  'ratings.lowest': 1,
  'ratings.highest': 5,
  'ratings.estimators': 'naive,snips,ips',
  'positive.minValue': 4,
};
export const SEGMENTED = {
  'segments.dimensions': { country: 'user', device: 'interaction' },
  'segments.builtIn': 'item_popularity',
  'segments.values': 3,
  'segments.minUsers': 5,
};

const made = new Map<string, readonly Event[]>();
/** Made once for the same options: several logs are other readings of one. */
export function simulated(more: Partial<SimulationOptions>): readonly Event[] {
  const asked = JSON.stringify(more);
  const events = made.get(asked) ?? newlySimulated(more);
  made.set(asked, events);
  return events;
}

function newlySimulated(more: Partial<SimulationOptions>): Event[] {
  const simulation = new Simulation({
    seed: 37,
    users: 90,
    items: 60,
    startMs: START,
    cycleMs: CYCLE_MS,
    durationMs: CYCLES * CYCLE_MS,
    listLength: 20,
    shownLength: 6,
    relevantPerUser: 20,
    randomizedShare: 0.1,
    ...more,
  });
  return [...simulation.events()];
}

/** A number from 0 to `below` that follows from a text alone. */
function numberOf(text: string, below: number): number {
  let hash = 17;
  for (const character of text) hash = (hash * 31 + character.codePointAt(0)!) % 1_000_003;
  return hash % below;
}

/** Interactions become ratings, every sixth of an item that was drawn; lists predict them. */
export function rated(events: readonly Event[]): Event[] {
  return events.map((event): Event => {
    if (event.type === 'exposure') {
      const scores = event.items.map((item) => 1 + numberOf(`${event.model}${item}`, 33) / 8);
      return { ...event, scores };
    }
    const { user, item } = event;
    const value = 1 + numberOf(`${user}${item}`, 5);
    return { ...event, value, ...(numberOf(event.id, 6) === 0 ? { randomized: true } : {}) };
  });
}

export function segmented(events: readonly Event[]): Event[] {
  return events.map((event): Event => {
    const country = ['at', 'is', 'it', 'no', 'pt'][numberOf(event.user, 5)]!;
    const device = ['phone', 'desk'][numberOf(event.id, 3)];
    return { ...event, segments: device === undefined ? { country } : { country, device } };
  });
}

export const SERVED = {
  randomizedShare: 0,
  causedShare: 0.4,
  arms: 2,
  randomArm: 0.2,
  examination: [1, 0.7, 0.5, 0.4],
};
export const WATCHED = {
  'drift.detectors': 'cusum,psi,vanished',
  'drift.window': '1h',
  'drift.learn': 3,
  baseline: 'popularity',
  'comparisons.control': 'popular',
};

export const FROZEN_LOGS: Readonly<Record<string, () => FrozenLog>> = {
  plain: () => ({ events: simulated({}), partitions: 1, settings: FEW }),
  causes: () => ({
    events: simulated({ causedShare: 0.4, naming: 'caused' }),
    partitions: 1,
    settings: FEW,
  }),
  requests: () => ({ events: simulated(SERVED), partitions: 1, settings: FEW }),
  ratings: () => ({
    events: rated(simulated({})),
    partitions: 1,
    settings: { ...FEW, ...RATED, 'estimates.metrics': 'recall,mae,rmse,cg' },
  }),
  segments: () => ({
    events: segmented(simulated({})),
    partitions: 1,
    settings: { ...FEW, ...SEGMENTED },
  }),
  all: () => ({
    events: rated(segmented(simulated({ ...SERVED, bots: 1, naming: 'shown' }))),
    partitions: 3,
    settings: {
      ...FEW,
      ...RATED,
      ...SEGMENTED,
      ...WATCHED,
      'estimates.metrics': 'recall,ndcg,mae,cg',
      'estimates.draws': 3,
    },
  }),
};

/** As lines of an event file. */
export function linesOf(events: readonly Event[]): string {
  return events.map((event) => `${encodeEvent(event)}\n`).join('');
}
