import type { Mapping } from './mapping.js';

/**
 * Mapping of rows of the Open Bandit Dataset as used by Open Bandit Pipeline: one shown item, with
 * its propensity, and whether it was clicked. Each row has its own user, since the format has none.
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
