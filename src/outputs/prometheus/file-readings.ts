import { Counter, Gauge, type Registry } from 'prom-client';

/** Outcome of reading a changed propensities file: used or rejected. */
export type FileReading = 'taken' | 'refused';

/**
 * Register the metrics of reading the propensities file: a counter by outcome, starting at 0 so
 * that its first increase is visible, and a gauge that shows whether the last reading was rejected.
 *
 * @returns function that records an outcome
 */
export function registerFileReadings(registry: Registry): (outcome: FileReading) => void {
  const readings = new Counter({
    name: 'unskew_propensity_file_readings_total',
    help: 'Reloads of a changed propensity file, by outcome; after a rejected one, the old file stays in use',
    labelNames: ['outcome'],
    registers: [registry],
  });
  const refused = new Gauge({
    name: 'unskew_propensity_file_refused',
    help: '1 while the current propensity file is rejected and an older one is in use, else 0',
    registers: [registry],
  });
  for (const outcome of ['taken', 'refused'] as const) {
    readings.inc({ outcome }, 0);
  }
  return (outcome) => {
    readings.inc({ outcome });
    refused.set(Number(outcome === 'refused'));
  };
}
