import { Counter, Gauge, type Registry } from 'prom-client';

/** Values of the label `store`: the stores of a service. */
export type StoreName = 'checkpoints' | 'panes' | 'exports';

/** Metrics of failures of a service's stores. */
export class StoreSeries {
  readonly #errors: Counter;
  readonly #lost: Counter;
  readonly #mayEvict: Gauge;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#errors = new Counter({
      name: 'unskew_store_errors_total',
      help: 'Failed operations of a store, including those followed by a successful retry',
      labelNames: ['store', 'operation'],
      registers,
    });
    this.#lost = new Counter({
      name: 'unskew_store_lost_total',
      help: 'Number of times that stored state was missing from a store',
      labelNames: ['store'],
      registers,
    });
    this.#mayEvict = new Gauge({
      name: 'unskew_store_may_evict',
      help: '1 if the store may evict state when its memory is full, else 0',
      labelNames: ['store'],
      registers,
    });
  }

  /** Start the error counters of a store at 0, so that the first increase is visible. */
  expect(store: StoreName, operations: readonly string[]): void {
    for (const operation of operations) {
      this.#errors.inc({ store, operation }, 0);
    }
    if (store !== 'checkpoints') return;
    this.#lost.inc({ store }, 0);
    this.#mayEvict.set({ store }, 0);
  }

  failed(store: StoreName, operation: string): void {
    this.#errors.inc({ store, operation });
  }

  lost(store: StoreName): void {
    this.#lost.inc({ store });
  }

  mayEvict(store: StoreName, isSo: boolean): void {
    this.#mayEvict.set({ store }, isSo ? 1 : 0);
  }
}
