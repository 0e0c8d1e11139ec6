import type { Mapping } from './mapping.js';

/**
 * Rows of the Open Bandit Dataset, which Open Bandit Pipeline reads: one item that was shown, with its
 * chance, and whether it was clicked. A row is of a user of its own, since the format names none.
 *
 * **Source**: Saito et al., *Open Bandit Dataset and Pipeline*, NeurIPS 2021.
 */
export const OBP: Mapping = {
  tsUnit: 'iso',
  exposure: {
    request: { record: 'offset' },
    ts: '/timestamp',
    user: { record: 'offset' },
    model: { constant: 'obp' },
    items: '/item_id',
    propensities: '/propensity_score',
  },
  interaction: {
    ts: '/timestamp',
    user: { record: 'offset' },
    item: '/item_id',
    value: '/click',
    exposure: { record: 'offset' },
  },
};
