import { Counter, Gauge, type Registry } from 'prom-client';
import type { NightlyStatus } from '../../../export/nights/nightly.js';
import { SHADOW_COUNTS, type ShadowCount } from '../../../stream/shadow/shadow-baseline.js';

const OUTCOMES = ['made', 'failed'] as const;

/** What there is to say of lists in use. */
export interface ShadowInUse {
  /** End of what they were learned from, event time, ms. */
  readonly learnedTo: number;
  readonly ratings: number;
  readonly users: number;
  /** Share of the users that were learned from. */
  readonly ratio: number;
}

export interface ShadowSources {
  readonly status: () => NightlyStatus;
  /** Undefined before there are any. */
  readonly inUse: () => ShadowInUse | undefined;
  readonly counts: () => Readonly<Record<ShadowCount, number>>;
  readonly now: () => number;
}

/** As labels, by the key in the program. */
const LABELS: Readonly<Record<ShadowCount, string>> = {
  ...{ own: 'own', popular: 'popular', before: 'before', sampledOut: 'sampled_out' },
  itemsFull: 'items_full',
};

/** The metrics of the baseline that the service learns; the gauges are read when they are scraped. */
export class ShadowSeries {
  readonly #runs: Counter;
  readonly #refused: Counter;
  readonly #duration: Gauge;

  constructor(registry: Registry, { status, inUse, counts, now }: ShadowSources) {
    const registers = [registry];
    this.#runs = new Counter({
      name: 'unskew_shadow_runs_total',
      help: 'Times that the baseline was to be learned again, by what came of them',
      labelNames: ['outcome'],
      registers,
    });
    for (const outcome of OUTCOMES) this.#runs.inc({ outcome }, 0);
    this.#refused = new Counter({
      name: 'unskew_shadow_refused_total',
      help: 'Learned lists that could not be used: those in use before stayed',
      registers,
    });
    this.#duration = new Gauge({
      name: 'unskew_shadow_duration_seconds',
      help: 'Time that the baseline took when it was last learned here',
      registers,
    });
    const lists = new Counter({
      name: 'unskew_shadow_lists_total',
      help: 'Lists that came beside those of the log, own or popular, and why others did not',
      labelNames: ['list'],
      registers,
      collect() {
        this.reset();
        const found = counts();
        for (const count of SHADOW_COUNTS) this.inc({ list: LABELS[count] }, found[count]);
      },
    });
    void lists;
    const read = (name: string, help: string, of: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(of());
        },
      });
    read('unskew_shadow_running', 'Whether the baseline is being learned here', () =>
      Number(status().running !== null),
    );
    read(
      'unskew_shadow_overdue_seconds',
      'How long it has been due that the baseline is learned again; 0 if it is not',
      () => {
        const { overdue } = status();
        return overdue === null ? 0 : Math.max(0, now() - overdue) / 1000;
      },
    );
    read(
      'unskew_shadow_learned_to_seconds',
      'End of what the lists in use were learned from, in Unix seconds; 0 before there are any',
      () => (inUse()?.learnedTo ?? 0) / 1000,
    );
    read(
      'unskew_shadow_ratings',
      'Ratings that the lists in use were learned from',
      () => inUse()?.ratings ?? 0,
    );
    read('unskew_shadow_users', 'Users who have a list of their own', () => inUse()?.users ?? 0);
    read(
      'unskew_shadow_user_ratio',
      'Share of the users that the lists in use were learned from',
      () => inUse()?.ratio ?? 1,
    );
  }

  ended(outcome: (typeof OUTCOMES)[number], seconds: number): void {
    this.#runs.inc({ outcome });
    this.#duration.set(seconds);
  }

  refused(): void {
    this.#refused.inc();
  }
}
