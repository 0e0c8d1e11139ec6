import { dashboard, type Section } from './dashboard.js';
import { stat, timeSeries } from './panel.js';

const state: Section = {
  title: 'Health',
  panels: [
    stat({
      title: 'Processes that answer',
      description: 'Number of unskew processes that answer Prometheus. If it is 0, see UnskewDown.',
      unit: 'none',
      span: 6,
      queries: [{ expr: 'sum(up{job="unskew"}) or vector(0)', legend: 'up' }],
    }),
    stat({
      title: 'Age of the newest numbers',
      description:
        'Time between the end of the newest pane and now. Above 15 minutes, UnskewNoData fires; see lag and watermarks below.',
      unit: 's',
      span: 6,
      queries: [{ expr: 'time() - max(unskew_pane_end_seconds)', legend: 'age' }],
      bounds: { warn: 300, bad: 900 },
    }),
    stat({
      title: 'Version',
      description:
        'Running versions of unskew and Node.js. If there are several, a roll-out is under way, or has stopped half-way.',
      unit: 'none',
      span: 6,
      queries: [
        { expr: 'count by (version, node) (unskew_build_info)', legend: '{{version}} on {{node}}' },
      ],
    }),
    stat({
      title: 'Age of the last checkpoint',
      description:
        'Age of the oldest last checkpoint of a partition. After a restart, the log is read again from there. If it is old, see UnskewStaleCheckpoint.',
      unit: 's',
      span: 6,
      queries: [{ expr: 'max(unskew_checkpoint_age_seconds)', legend: 'age' }],
      bounds: { warn: 300, bad: 900 },
      noValue: 'no checkpoints',
    }),
    timeSeries({
      title: 'Active states',
      description:
        'States that the page shows above all numbers, by process: 1 while the state is active. docs/http.md says when each is active, and the page says what to do.',
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
      description:
        'Events read per second, by topic. Lag divided by this rate is the time that catching up takes.',
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
        'Share of users that the estimates use, and the share of events that count only in popularity. Below 1, traffic exceeds a limit and users are sampled: see UnskewSampled.',
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
        'Records that are not read yet, by partition. If it grows, events arrive faster than they are read: add partitions and readers. See UnskewLag.',
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
        'Time between the newest event of a partition and that of the newest partition. The partition furthest behind holds back event time: check its lag, then its producer.',
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
        'Time between the end of the newest pane and now. It normally rises and falls by one tick. If it rises steadily, no pane closes: see UnskewNoData.',
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
        'Time to compute the numbers of one pane, which runs beside ingestion. If it exceeds time.tick, numbers fall behind: see UnskewTickSlow.',
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
        'Longest time for which a tick kept events waiting without a break. Above 0.05 s, the process needs more CPU.',
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
        'CPU use of each process, in cores. At 1, the process is at its limit: add readers to share the partitions. A tick cannot be split over processes.',
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
        'Memory of each process. It grows with distinct users and items, and with the events of the longest window. If it nears the limit of the process, shorten the longest window, or add readers.',
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
        'Event-loop delay: how late the process starts work that is due. Above 0.1 s, scrapes and the page become slow: check the tick duration.',
      unit: 's',
      min: 0,
      queries: [
        { expr: 'nodejs_eventloop_lag_p99_seconds{job="unskew"}', legend: '{{instance}} 99 %' },
      ],
    }),
    timeSeries({
      title: 'Series',
      description:
        'Number of samples per scrape. It grows with models, windows, metrics and estimators. Far above 10,000, scrapes become slow: configure fewer of them.',
      unit: 'none',
      min: 0,
      queries: [{ expr: 'scrape_samples_scraped{job="unskew"}', legend: '{{instance}}' }],
    }),
  ],
};

export const service = dashboard({
  uid: 'unskew-service',
  title: 'unskew / Service',
  description: 'Whether the service itself works: reading, computing, memory.',
  choices: [],
  sections: [state, reading, work],
});
