import type { Section } from './dashboard.js';
import { timeSeries } from './panel.js';

export const concentration: Section = {
  title: 'Is popularity bias growing',
  panels: [
    timeSeries({
      title: 'Gini index',
      description:
        'How unequally traffic is spread over items. 0: all items get the same; 1: one item gets everything. If it rises for a model’s exposures before it rises for interactions, the model concentrates the traffic.',
      unit: 'none',
      queries: [
        { expr: 'unskew_popularity_gini{stream="interactions"}', legend: 'interactions' },
        {
          expr: 'unskew_popularity_gini{stream="exposures",model=~"$model"}',
          legend: 'exposures {{model}}',
        },
      ],
    }),
    timeSeries({
      title: 'Share of the top 1 % of items',
      description:
        'Share of interactions, and of each model’s exposures, that goes to the most popular 1 % of items. If it grows, the alarms of /api/v1/estimates name the items.',
      unit: 'percentunit',
      queries: [{ expr: 'unskew_popularity_top_share', legend: '{{stream}} {{model}}' }],
    }),
    timeSeries({
      title: 'Coverage',
      description:
        'Share of the catalogue that the traffic reaches. If it suddenly falls for exposures, a feed or a filter has lost items.',
      unit: 'percentunit',
      min: 0,
      queries: [{ expr: 'unskew_popularity_coverage_ratio', legend: '{{stream}} {{model}}' }],
    }),
    timeSeries({
      title: 'Entropy',
      description:
        'Shannon entropy of the traffic over items, in nats. exp(entropy) is the effective number of items. It falls when traffic narrows, also among mid-tail items, to which the Gini index hardly reacts.',
      unit: 'none',
      queries: [{ expr: 'unskew_popularity_entropy', legend: '{{stream}} {{model}}' }],
    }),
    timeSeries({
      title: 'Herfindahl–Hirschman index',
      description:
        'Probability that two random events are on the same item. It reacts to single hits, the Gini index to the long tail. If only this index rises, look for one very popular item.',
      unit: 'none',
      queries: [{ expr: 'unskew_popularity_hhi', legend: '{{stream}} {{model}}' }],
    }),
    timeSeries({
      title: 'Popularity lift',
      description:
        'Mean popularity of a model’s exposures, relative to that of the interactions, minus 1. Above 0, the model favours popular items. If it rises, check the model’s last release.',
      unit: 'percentunit',
      queries: [{ expr: 'unskew_popularity_lift{window="$window"}', legend: '{{model}}' }],
    }),
    timeSeries({
      title: 'Mean popularity of exposed items',
      description:
        'Mean popularity of a model’s exposures, in interactions within popularity.horizon. It also grows with traffic, so compare models with each other, not with last month.',
      unit: 'none',
      queries: [
        { expr: 'unskew_average_recommendation_popularity{window="$window"}', legend: '{{model}}' },
      ],
    }),
  ],
};
