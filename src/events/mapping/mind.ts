import type { Mapping } from './mapping.js';

/**
 * Mapping of the impressions of the news data set MIND, `behaviors.tsv`: a row has a list of news,
 * with 1 for clicked ones. The order was shuffled, so ranks have no meaning.
 *
 * **Source**: Wu et al., *MIND: A Large-scale Dataset for News Recommendation*, ACL 2020.
 */
export const MIND: Mapping = {
  columns: ['impression', 'user', 'time', 'history', 'impressions'],
  tsUnit: 'mdy',
  exposure: {
    id: '/impression',
    ts: '/time',
    user: '/user',
    model: { constant: 'mind' },
    items: {
      path: '/impressions',
      split: ' ',
      match: '^(.+)-[01]$',
    },
  },
  interaction: {
    id: '/impression',
    ts: '/time',
    user: '/user',
    item: {
      path: '/impressions',
      split: ' ',
      match: '^(.+)-1$',
    },
    exposure: '/impression',
  },
};
