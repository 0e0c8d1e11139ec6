import { Counter, Gauge, type Registry } from 'prom-client';
import type { OutputFacts } from '../../rows/findings/facts.js';

/** State of an output of the service, as read at a scrape. */
export interface OutputReport extends OutputFacts {
  readonly waiting: number;
  readonly lost: number;
}

/** Register gauges for each output: whether it can be written, and how much waits or was lost. */
export function registerOutputs(registry: Registry, outputs: () => readonly OutputReport[]): void {
  const common = {
    labelNames: ['output'],
    registers: [registry],
  };
  new Gauge({
    ...common,
    name: 'unskew_output_failing',
    help: '1 while an output cannot be written and is being retried, else 0',
    collect() {
      for (const { name, trouble } of outputs()) {
        this.set({ output: name }, Number(trouble !== undefined));
      }
    },
  });
  new Gauge({
    ...common,
    name: 'unskew_output_waiting',
    help: 'Pieces of an output that wait to be written',
    collect() {
      for (const { name, waiting } of outputs()) {
        this.set({ output: name }, waiting);
      }
    },
  });
  new Counter({
    ...common,
    name: 'unskew_output_lost_total',
    help: 'Pieces of an output dropped because too many were waiting',
    collect() {
      this.reset();
      for (const { name, lost } of outputs()) {
        this.inc({ output: name }, lost);
      }
    },
  });
}
