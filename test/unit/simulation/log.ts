import type { SimulatedEvent } from '../../../src/simulation/simulation.js';

type Exposure = Extract<SimulatedEvent, { type: 'exposure' }>;
type Interaction = Extract<SimulatedEvent, { type: 'interaction' }>;

/** A log taken apart, for tests to look at. */
export interface Log {
  readonly all: SimulatedEvent[];
  readonly exposures: Exposure[];
  readonly interactions: Interaction[];
}

export function logOf(events: Iterable<SimulatedEvent>): Log {
  const all = [...events];
  return {
    all,
    exposures: all.filter((event) => event.type === 'exposure'),
    interactions: all.filter((event) => event.type === 'interaction'),
  };
}

export const isPositive = (event: Interaction) => (event.value ?? 1) >= 1;
