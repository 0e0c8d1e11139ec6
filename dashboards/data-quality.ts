import { dashboard, type Section } from './dashboard.js';
import { stat, timeSeries } from './panel.js';

/** Outcomes that are not faults. */
const SOUND =
  'accepted|duplicate|late|unranked|over_user_cap|ignored|over_item_limit|forgotten|tombstone';

const events: Section = {
  title: 'Events',
  panels: [
    stat({
      title: 'Invalid events',
      description:
        'Share of the events of the last five minutes that are invalid. Above 1 %, UnskewFaults fires; the panel Invalid events by reason shows why.',
      unit: 'percentunit',
      decimals: 2,
      span: 6,
      queries: [{ expr: 'max(unskew:faults:ratio_rate5m) or vector(0)', legend: 'invalid' }],
      bounds: { warn: 0.001, bad: 0.01 },
    }),
    stat({
      title: 'Late events',
      description:
        'Share of events that arrive later than time.lateness allows; they count only in popularity. If it is more than a few per cent, raise time.lateness, or find the producer that is behind.',
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
        'Share of interactions that are positive and evaluate no model, because their user had no list. If it is high, exposures are missing, or attribution.ttl is too short.',
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
        'Share of events whose id occurred before; they are dropped. If it is high, a producer resends events, or its ids are not unique.',
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
      description:
        'Accepted events per second, by topic. If one of the two topics stops, the numbers become old: see UnskewNoData.',
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
      title: 'Invalid events by reason',
      description:
        'Invalid events per second, by what is wrong with them. The events are in the dead letters. UnskewFaults in the runbook says what to do.',
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
        'Valid events per second that the estimates do not use. If one of these rates jumps, a producer has changed: check what was released at that time.',
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
        'Outcome of writing invalid events to the dead letters. failed: the topic or file rejected them; discarded: too many were waiting. Neither can be inspected: see UnskewDeadLettersLost.',
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
        'Records that Kafka deleted before they were read. If it is not 0, raise the retention of the topics: see UnskewRecordsLost.',
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
      title: 'Events beyond limits.items',
      description:
        'Events per second that are left out because their items exceed limits.items. If it is not 0, see UnskewItemsOverLimit.',
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
      title: 'Ids in memory',
      description:
        'Distinct user and item ids in memory. Unused ids are removed whenever a table has doubled, so the number goes up and down by a factor of two.',
      unit: 'none',
      min: 0,
      queries: [{ expr: 'sum by (kind) (unskew_known_ids)', legend: '{{kind}}' }],
    }),
    timeSeries({
      title: 'Lists and series dropped',
      description:
        'Lists and metric series that are left out because there are more models than models.max. If it is not 0, see UnskewModelsDropped.',
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
  description: 'Which events arrive, which are invalid and why, and which cannot be evaluated.',
  choices: [],
  sections: [events],
});
