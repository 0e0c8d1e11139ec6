import { dashboard, type Section } from './dashboard.js';
import { stat, timeSeries } from './panel.js';

/** Outcomes that are not faults. */
const SOUND =
  'accepted|duplicate|late|unranked|over_user_cap|ignored|over_item_limit|forgotten|tombstone';

const events: Section = {
  title: 'Events',
  panels: [
    stat({
      title: 'Refused events',
      description:
        'Share of the last five minutes’ events. Above 1 %, UnskewFaults fires; the reasons are below.',
      unit: 'percentunit',
      decimals: 2,
      span: 6,
      queries: [{ expr: 'max(unskew:faults:ratio_rate5m) or vector(0)', legend: 'refused' }],
      bounds: { warn: 0.001, bad: 0.01 },
    }),
    stat({
      title: 'Late events',
      description:
        'They count in popularity, but in no window. If it is more than a few per cent, raise time.lateness, or find out which producer is behind.',
      unit: 'percentunit',
      decimals: 2,
      span: 6,
      queries: [
        {
          expr: 'sum(unskew:events:rate5m{outcome="late"}) / sum(unskew:events:rate5m{outcome!~"unranked|over_user_cap"} > 0) or vector(0)',
          legend: 'late',
        },
      ],
      bounds: { warn: 0.01, bad: 0.05 },
    }),
    stat({
      title: 'Positive interactions without a list',
      description:
        'No model had a list for the user, so they are evaluated for none. If it is high, exposures are missing, or attribution.ttl is too short.',
      unit: 'percentunit',
      decimals: 1,
      span: 6,
      queries: [
        {
          expr: 'sum(unskew:events:rate5m{outcome="unranked"}) / sum(unskew:events:rate5m{topic=~".*interactions",outcome="accepted"} > 0) or vector(0)',
          legend: 'unranked',
        },
      ],
      bounds: { warn: 0.2, bad: 0.5 },
    }),
    stat({
      title: 'Duplicates',
      description:
        'Events with an id that was there before; they are dropped. A high share: a producer sends again what was taken, or makes ids that are not unique.',
      unit: 'percentunit',
      decimals: 2,
      span: 6,
      queries: [
        {
          expr: 'sum(unskew:events:rate5m{outcome="duplicate"}) / sum(unskew:events:rate5m{outcome!~"unranked|over_user_cap"} > 0) or vector(0)',
          legend: 'duplicate',
        },
      ],
      bounds: { warn: 0.01, bad: 0.1 },
    }),
    timeSeries({
      title: 'Accepted events',
      description: 'By topic. If one of the two stops, the numbers go stale: see UnskewNoData.',
      unit: 'eps',
      min: 0,
      queries: [
        {
          expr: 'sum by (topic) (rate(unskew_events_total{outcome="accepted"}[$__rate_interval]))',
          legend: '{{topic}}',
        },
      ],
    }),
    timeSeries({
      title: 'Faults by reason',
      description:
        'Refused events. The reason says what is wrong with them; the events are in the dead letters. What to do is in the runbook under UnskewFaults.',
      unit: 'eps',
      min: 0,
      queries: [
        {
          expr: `sum by (outcome) (rate(unskew_events_total{outcome!~"${SOUND}"}[$__rate_interval]))`,
          legend: '{{outcome}}',
        },
      ],
    }),
    timeSeries({
      title: 'Late, duplicate, ignored and unranked events',
      description:
        'They are not faults. A step in one of them is a change in a producer: look at what was released then.',
      unit: 'eps',
      min: 0,
      queries: [
        {
          expr: 'sum by (outcome) (rate(unskew_events_total{outcome=~"duplicate|late|unranked|ignored"}[$__rate_interval]))',
          legend: '{{outcome}}',
        },
      ],
    }),
    timeSeries({
      title: 'Dead letters',
      description:
        'What became of refused events. failed: the topic or file does not take them; discarded: more than it takes. They cannot be looked at then: see UnskewDeadLettersLost.',
      unit: 'eps',
      min: 0,
      queries: [
        {
          expr: 'sum by (outcome) (rate(unskew_dead_letters_total[$__rate_interval]))',
          legend: '{{outcome}}',
        },
      ],
    }),
    timeSeries({
      title: 'Records lost',
      description:
        'Records that the log no longer held when they were due. If it is not 0, let the topics hold more: see UnskewRecordsLost.',
      unit: 'none',
      min: 0,
      queries: [
        {
          expr: 'sum by (topic) (increase(unskew_gap_records_total[$__rate_interval])) or vector(0)',
          legend: 'lost {{topic}}',
        },
      ],
    }),
    timeSeries({
      title: 'Events over the limit of items',
      description:
        'They name items beyond limits.items and are left out. If it is not 0, see UnskewItemsOverLimit.',
      unit: 'eps',
      min: 0,
      queries: [
        {
          expr: 'sum by (topic) (rate(unskew_events_total{outcome="over_item_limit"}[$__rate_interval]))',
          legend: '{{topic}}',
        },
      ],
    }),
    timeSeries({
      title: 'Known ids',
      description:
        'Users and items that are kept. Those that nothing refers to any more are forgotten once a table has doubled, so it goes up and down by a factor of two.',
      unit: 'none',
      min: 0,
      queries: [{ expr: 'sum by (kind) (unskew_known_ids)', legend: '{{kind}}' }],
    }),
    timeSeries({
      title: 'Lists and series dropped',
      description:
        'There are more models than models.max. If it is not 0, see UnskewModelsDropped.',
      unit: 'none',
      min: 0,
      queries: [
        { expr: 'sum(increase(unskew_lists_dropped_total[$__rate_interval]))', legend: 'lists' },
        { expr: 'sum(increase(unskew_series_dropped_total[$__rate_interval]))', legend: 'series' },
      ],
    }),
  ],
};

export const dataQuality = dashboard({
  uid: 'unskew-data-quality',
  title: 'unskew / Data quality',
  description: 'What arrives, what is refused and why, what cannot be evaluated.',
  choices: [],
  sections: [events],
});
