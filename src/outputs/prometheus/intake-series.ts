import { Counter, Gauge, type Registry } from 'prom-client';
import type { ShuffleWatch } from '../../stream/intake/shuffle.js';

/** Register the metrics of the intake: records by outcome, and lag. */
export function intakeSeries(registry: Registry, sources: readonly string[]): ShuffleWatch {
  const records = new Counter({
    name: 'unskew_intake_records_total',
    help: 'Records of a source topic, by outcome: written, ignored, anonymous, tombstone, or the reason why they are invalid',
    labelNames: ['topic', 'outcome'],
    registers: [registry],
  });
  for (const topic of sources) {
    records.inc(
      {
        topic,
        outcome: 'written',
      },
      0,
    );
  }
  const lags = new Gauge({
    name: 'unskew_intake_lag_records',
    help: 'Unread records of a source topic',
    labelNames: ['topic', 'partition'],
    registers: [registry],
  });
  const times = new Gauge({
    name: 'unskew_intake_newest_seconds',
    help: 'Newest event time read from a source topic, in Unix seconds',
    labelNames: ['topic', 'partition'],
    registers: [registry],
  });
  return {
    records(topic, outcomes) {
      for (const [outcome, count] of outcomes) {
        records.inc({ topic, outcome }, count);
      }
    },
    stands(topic, partition, lag, newest) {
      lags.set({ topic, partition }, lag);
      if (Number.isFinite(newest)) {
        times.set({ topic, partition }, newest / 1000);
      }
    },
  };
}
