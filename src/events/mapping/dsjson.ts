import type { Mapping } from './mapping.js';

/**
 * Decisions of Vowpal Wabbit's contextual bandits: each line is a list of the chosen action with
 * its probability, and the reward, the negative cost. Each event has its own user, since the format
 * has none. Slots are the positions of a list, each with its action.
 *
 * **Source**: Vowpal Wabbit, *DSJSON*.
 */
export const DSJSON: Mapping = {
  tsUnit: 'iso',
  exposure: {
    id: '/EventId',
    request: '/EventId',
    ts: '/Timestamp',
    user: '/EventId',
    model: {
      path: '/VWState/m',
      default: 'vw',
    },
    items: {
      path: ['/a/0', '/_outcomes'],
      each: '/_a/0',
    },
    propensities: {
      path: ['/_label_probability', '/_outcomes'],
      each: '/_p/0',
    },
  },
  interaction: {
    id: '/EventId',
    ts: '/Timestamp',
    user: '/EventId',
    item: {
      path: ['/a/0', '/_outcomes'],
      each: '/_a/0',
    },
    value: {
      path: ['/_label_cost', '/_outcomes'],
      each: '/_label_cost',
      times: -1,
    },
    exposure: '/EventId',
  },
};
