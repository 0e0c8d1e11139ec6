import { dashboard, type Section } from './dashboard.js';
import { stat, timeSeries } from './panel.js';

const state: Section = {
  title: 'Is it well',
  panels: [
    stat({
      title: 'Monitors that answer',
      description: 'If it is 0, see UnskewDown.',
      unit: 'none',
      span: 6,
      queries: [{ expr: 'sum(up{job="unskew"}) or vector(0)', legend: 'up' }],
    }),
    stat({
      title: 'Age of the newest numbers',
      description:
        'How far the newest pane lies behind the clock. Above 15 minutes UnskewNoData fires; look at lag and watermarks below.',
      unit: 's',
      span: 6,
      queries: [{ expr: 'time() - max(unskew_pane_end_seconds)', legend: 'age' }],
      bounds: { warn: 300, bad: 900 },
    }),
    stat({
      title: 'Version',
      description:
        'What runs, and on which Node. More than one: a release is under way, or has stopped half-way.',
      unit: 'none',
      span: 6,
      queries: [
        { expr: 'count by (version, node) (unskew_build_info)', legend: '{{version}} on {{node}}' },
      ],
    }),
    stat({
      title: 'Age of the last checkpoint',
      description:
        'From there the log is read again after a restart. If it is old, see UnskewStaleCheckpoint.',
      unit: 's',
      span: 6,
      queries: [{ expr: 'max(unskew_checkpoint_age_seconds)', legend: 'age' }],
      bounds: { warn: 300, bad: 900 },
      noValue: 'no checkpoints',
    }),
    timeSeries({
      title: 'States that hold',
      description:
        'What the page shows above all numbers, by process: 1 while it holds. docs/http.md says when each does, and the page what to do.',
      unit: 'none',
      min: 0,
      queries: [{ expr: 'unskew_state == 1 or vector(0)', legend: '{{state}} {{instance}}' }],
    }),
  ],
};

const reading: Section = {
  title: 'Reading',
  panels: [
    timeSeries({
      title: 'Events',
      description: 'All that is read. Lag over this rate is how long catching up takes.',
      unit: 'eps',
      min: 0,
      queries: [
        {
          expr: 'sum by (topic) (rate(unskew_events_total{outcome!~"unranked|over_user_cap"}[$__rate_interval]))',
          legend: '{{topic}}',
        },
      ],
    }),
    timeSeries({
      title: 'Users in the sample',
      description:
        'Share of the users that estimates are of, and events that count in popularity alone. Below 1 more comes in than the limits let it keep: see UnskewSampled.',
      unit: 'percentunit',
      min: 0,
      queries: [
        { expr: 'min(unskew_user_sampling_ratio)', legend: 'users' },
        {
          expr: 'sum(rate(unskew_sampled_out_events_total[$__rate_interval])) / sum(rate(unskew_events_total{outcome="accepted"}[$__rate_interval]))',
          legend: 'events sampled out',
        },
      ],
    }),
    timeSeries({
      title: 'Lag',
      description:
        'Records that are not read yet. If it grows, more comes in than is read: add partitions and readers. See UnskewLag.',
      unit: 'none',
      min: 0,
      queries: [
        {
          expr: 'sum by (topic, partition) (unskew_consumer_lag_records)',
          legend: '{{topic}}/{{partition}}',
        },
      ],
    }),
    timeSeries({
      title: 'Watermark behind the newest',
      description:
        'How far a partition’s newest event lies behind that of the newest partition. The one furthest behind holds time back: look at its lag, then at its producer.',
      unit: 's',
      min: 0,
      queries: [
        {
          expr: 'scalar(max(unskew_watermark_seconds)) - max by (topic, partition) (unskew_watermark_seconds)',
          legend: '{{topic}}/{{partition}}',
        },
      ],
    }),
    timeSeries({
      title: 'Event time behind the clock',
      description:
        'It rises and falls by one tick. If it rises steadily, no pane closes: see UnskewNoData.',
      unit: 's',
      min: 0,
      queries: [{ expr: 'unskew:event_time_lag:seconds', legend: 'behind' }],
    }),
  ],
};

const work: Section = {
  title: 'Work',
  panels: [
    timeSeries({
      title: 'Tick',
      description:
        'Time that the numbers of a pane take, beside ingestion. Beyond time.tick they fall behind: see UnskewTickSlow.',
      unit: 's',
      min: 0,
      queries: [0.5, 0.99].map((q) => ({
        expr: `histogram_quantile(${q}, sum by (le) (rate(unskew_tick_duration_seconds_bucket[5m])))`,
        legend: `${100 * q} %`,
      })),
    }),
    timeSeries({
      title: 'Ingest stall',
      description:
        'Longest stretch for which a tick kept events waiting. Above 0.05 s the process lacks CPU.',
      unit: 's',
      min: 0,
      queries: [
        {
          expr: 'histogram_quantile(0.99, sum by (le) (rate(unskew_ingest_stall_seconds_bucket[5m])))',
          legend: '99 %',
        },
      ],
    }),
    timeSeries({
      title: 'CPU',
      description:
        'Of one core. At 1 the process is at its limit: more readers share the partitions, a tick is not divided.',
      unit: 'percentunit',
      min: 0,
      queries: [
        {
          expr: 'rate(process_cpu_seconds_total{job="unskew"}[$__rate_interval])',
          legend: '{{instance}}',
        },
      ],
    }),
    timeSeries({
      title: 'Memory',
      description:
        'It grows with distinct users and items and with the events of the longest window. If it nears what the process may have, shorten the window or share the partitions.',
      unit: 'bytes',
      min: 0,
      queries: [
        { expr: 'process_resident_memory_bytes{job="unskew"}', legend: '{{instance}} resident' },
        { expr: 'nodejs_heap_size_used_bytes{job="unskew"}', legend: '{{instance}} heap' },
      ],
    }),
    timeSeries({
      title: 'Event loop',
      description:
        'How late the process gets to what is due. Above 0.1 s scrapes and the page become slow: look at the tick.',
      unit: 's',
      min: 0,
      queries: [
        { expr: 'nodejs_eventloop_lag_p99_seconds{job="unskew"}', legend: '{{instance}} 99 %' },
      ],
    }),
    timeSeries({
      title: 'Series',
      description:
        'Samples of a scrape. They grow with models, windows, metrics and estimators; far beyond 10,000 a scrape becomes slow: ask for fewer.',
      unit: 'none',
      min: 0,
      queries: [{ expr: 'scrape_samples_scraped{job="unskew"}', legend: '{{instance}}' }],
    }),
  ],
};

export const service = dashboard({
  uid: 'unskew-service',
  title: 'unskew / Service',
  description: 'Whether the monitor itself is well: reading, ticking, memory.',
  choices: [],
  sections: [state, reading, work],
});
