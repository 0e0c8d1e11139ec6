import { Counter, Gauge, type Registry } from 'prom-client';
import type { NightlyStatus } from '../../export/nightly.js';

const OUTCOMES = ['made', 'failed'] as const;

/** Metrics of nightly test sets; the gauges are read at each scrape. */
export class ExportSeries {
  readonly #runs: Counter;
  readonly #attempts: Counter;
  readonly #duration: Gauge;
  readonly #rows: Gauge;

  constructor(registry: Registry, status: () => NightlyStatus, now: () => number) {
    const registers = [registry];
    this.#runs = new Counter({
      name: 'unskew_export_runs_total',
      help: 'Runs of the export, by outcome',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of OUTCOMES) {
      this.#runs.inc({ outcome }, 0);
    }
    this.#attempts = new Counter({
      name: 'unskew_export_attempts_failed_total',
      help: 'Failed attempts to export a set, including those followed by a successful retry',
      registers,
    });
    this.#duration = new Gauge({
      name: 'unskew_export_duration_seconds',
      help: 'Duration of the last run of the export',
      registers,
    });
    this.#rows = new Gauge({
      name: 'unskew_export_rows',
      help: 'Rows of the last set that was made',
      registers,
    });
    const read = (name: string, help: string, of: (status: NightlyStatus) => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(of(status()));
        },
      });
    read('unskew_export_running', '1 while this process makes a set, else 0', ({ running }) =>
      Number(running !== null),
    );
    read(
      'unskew_export_overdue_seconds',
      'How long the oldest missing set has been due; 0 if none is missing',
      ({ overdue }) => (overdue === null ? 0 : Math.max(0, now() - overdue) / 1000),
    );
    read(
      'unskew_export_last_made_seconds',
      'Due time of the newest scheduled set that was made, in Unix seconds; 0 if there is none',
      ({ lastMade }) => (lastMade ?? 0) / 1000,
    );
  }

  ended(outcome: (typeof OUTCOMES)[number], seconds: number, rows: number): void {
    this.#runs.inc({ outcome });
    this.#duration.set(seconds);
    if (outcome === 'made') {
      this.#rows.set(rows);
    }
  }

  attemptFailed(): void {
    this.#attempts.inc();
  }
}
