import type { Mapping } from './mapping.js';

/**
 * Impressions of the news data set MIND, `behaviors.tsv`: a list of news with 1 behind those that were
 * clicked. The order of the news was shuffled, so that ranks say nothing.
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
