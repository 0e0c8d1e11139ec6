import { Counter, Gauge, type Registry } from 'prom-client';
import { ID_KINDS, type IdKind, type Swept } from '../../stream/id-tables.js';

/** Metrics of the id tables; the number of ids is read at each scrape. */
export class IdSeries {
  readonly #sweeps: Counter;
  readonly #forgotten: Counter;
  readonly #duration: Gauge;

  constructor(registry: Registry, known: () => Readonly<Record<IdKind, number>>) {
    const labelNames = ['kind'];
    const registers = [registry];
    const gauge: Gauge = new Gauge({
      name: 'unskew_known_ids',
      help: 'Distinct ids in memory: users of the partitions that this process reads, and items of all partitions',
      labelNames,
      registers,
      collect: () => {
        const counts = known();
        for (const kind of ID_KINDS) {
          gauge.set({ kind }, counts[kind]);
        }
      },
    });
    this.#sweeps = new Counter({
      name: 'unskew_id_sweeps_total',
      help: 'Sweeps of a table of ids, which remove unused ids',
      labelNames,
      registers,
    });
    this.#forgotten = new Counter({
      name: 'unskew_forgotten_ids_total',
      help: 'Unused ids that sweeps removed',
      labelNames,
      registers,
    });
    this.#duration = new Gauge({
      name: 'unskew_id_sweep_duration_seconds',
      help: 'Duration of the last sweep, which runs beside ingestion',
      labelNames,
      registers,
    });
    for (const kind of ID_KINDS) {
      this.#sweeps.inc({ kind }, 0);
      this.#forgotten.inc({ kind }, 0);
    }
  }

  swept({ kind, forgotten, seconds }: Swept): void {
    this.#sweeps.inc({ kind });
    this.#forgotten.inc({ kind }, forgotten);
    this.#duration.set({ kind }, seconds);
  }
}
