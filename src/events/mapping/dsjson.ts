import type { Mapping } from './mapping.js';

/**
 * Mapping of the decisions of Vowpal Wabbit's contextual bandits. Each line gives two events: a
 * list with the chosen action and its propensity, and an interaction with that action. The
 * interaction's value is the reward, the negative of the cost. A decision with several slots gives
 * a list with a position for each slot. The event's id is also its user, since the format has no
 * users.
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
