import type { Section } from './dashboard.js';
import { timeSeries } from './panel.js';

export const concentration: Section = {
  title: 'Is popularity bias growing',
  panels: [
    timeSeries({
      title: 'Gini index',
      description:
        'How unequally items share the traffic: 0 alike, 1 all on one item. If a model’s exposures rise before the interactions do, the model concentrates the traffic.',
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
      title: 'Share of the most popular 1 %',
      description:
        'Of interactions, and of each model’s exposures. If it grows, look at which items under /api/v1/estimates, in alarms.',
      unit: 'percentunit',
      queries: [{ expr: 'unskew_popularity_top_share', legend: '{{stream}} {{model}}' }],
    }),
    timeSeries({
      title: 'Coverage',
      description:
        'Share of the catalogue that the traffic reaches. A sudden fall of exposures: a feed or a filter has lost items.',
      unit: 'percentunit',
      min: 0,
      queries: [{ expr: 'unskew_popularity_coverage_ratio', legend: '{{stream}} {{model}}' }],
    }),
    timeSeries({
      title: 'Entropy',
      description:
        'In nats: e to its power is the number of equally popular items that the traffic is worth. It falls when traffic narrows, also in the middle of the catalogue, where the Gini index hardly moves.',
      unit: 'none',
      queries: [{ expr: 'unskew_popularity_entropy', legend: '{{stream}} {{model}}' }],
    }),
    timeSeries({
      title: 'Herfindahl–Hirschman index',
      description:
        'Chance that two events are of the same item. It answers to single hits; the Gini index to the tail. If it alone rises, look for one item.',
      unit: 'none',
      queries: [{ expr: 'unskew_popularity_hhi', legend: '{{stream}} {{model}}' }],
    }),
    timeSeries({
      title: 'Popularity lift',
      description:
        'How much more popular what a model shows is than what users picked. Above 0 the model pushes towards popular items; if it rises, look at the model’s last release.',
      unit: 'percentunit',
      queries: [{ expr: 'unskew_popularity_lift{window="$window"}', legend: '{{model}}' }],
    }),
    timeSeries({
      title: 'Mean popularity of what is shown',
      description:
        'In interactions within popularity.horizon. It grows with traffic too: compare models with each other, not with last month.',
      unit: 'none',
      queries: [
        { expr: 'unskew_average_recommendation_popularity{window="$window"}', legend: '{{model}}' },
      ],
    }),
  ],
};
