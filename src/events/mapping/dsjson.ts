import type { Mapping } from './mapping.js';

/**
 * Decisions of Vowpal Wabbit's contextual bandits: each line is a list of the action that was taken,
 * with its chance, and the reward for it, which is its cost below zero. An event is of a user of its
 * own, since the format names none.
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
    model: { path: '/VWState/m', default: 'vw' },
    items: '/a/0',
    propensities: '/_label_probability',
  },
  interaction: {
    id: '/EventId',
    ts: '/Timestamp',
    user: '/EventId',
    item: '/a/0',
    value: { path: '/_label_cost', times: -1 },
    exposure: '/EventId',
  },
};
