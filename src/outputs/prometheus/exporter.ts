import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { FEATURE_GAUGES } from '../../features/gauges.js';
import type { Flow } from '../../stream/flow.js';
import type { TopicRole } from '../../stream/ports.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import { SNAPSHOT_SERIES, type SnapshotSeries } from './snapshot-series.js';
import { StoreSeries } from './store-series.js';
import { StreamSeries } from './stream-series.js';

/** Gauges that are written from the newest snapshot. */
const GAUGES = [...SNAPSHOT_SERIES, ...FEATURE_GAUGES];

export interface ExporterOptions {
  /** Maximum number of models as label values; series of further models are dropped and counted. */
  readonly maxModels: number;
  readonly version: string;
  /** Topics whose event counters start at 0, so that the first increase is visible. */
  readonly topics: readonly string[];
  /**
   * Returns the age of the last checkpoint of all partitions, seconds; left out without a store.
   */
  readonly checkpointAge?: () => number | undefined;
}

/**
 * Value of the `model` label for all models together. It is not a model and does not count towards
 * the limit.
 */
const ALL_MODELS = '*';

/**
 * Prometheus metrics of one process. Gauges show the newest snapshot; counters are incremented per
 * batch.
 */
export class Exporter {
  readonly registry = new Registry();
  /** Metrics of events in the pipeline. */
  readonly stream: StreamSeries;
  readonly stores: StoreSeries;
  private readonly maxModels: number;
  private snapshot: Snapshot | undefined;
  /** Gauges of the newest snapshot as text; undefined until they are scraped. */
  private gauges: string | undefined;
  private models: ReadonlySet<string> = new Set();

  constructor({ maxModels, version, topics, checkpointAge }: ExporterOptions) {
    this.maxModels = maxModels;
    this.stream = new StreamSeries(this.registry, topics);
    this.stores = new StoreSeries(this.registry);
    collectDefaultMetrics({ register: this.registry });
    new Gauge({
      name: 'unskew_build_info',
      help: 'Always 1; the version is a label',
      labelNames: ['version', 'node'],
      registers: [this.registry],
    }).set(
      {
        version,
        node: process.version,
      },
      1,
    );
    if (checkpointAge !== undefined) {
      this.stream.registerCheckpoints(checkpointAge);
    }
  }

  /**
   * Update the metrics from a pipeline. If several processes tick, only one of them shows the
   * numbers.
   */
  follow(pipeline: Flow, topics: Readonly<Record<TopicRole, string>>): void {
    const shows = () => pipeline.sharing?.evaluates !== false;
    let newest: Snapshot | undefined;
    pipeline.ticks$.subscribe(({ snapshot }) => {
      newest = snapshot;
      if (shows()) {
        this.update(snapshot);
      }
    });
    pipeline.assigned$.subscribe(() => {
      if (shows()) {
        // This process shows the numbers from now on; another one did until now.
        if (this.snapshot === undefined && newest !== undefined) {
          this.update(newest);
        }
        return;
      }
      this.withdraw();
      this.stream.dropped(0, 0);
    });
    this.stream.follow(pipeline, topics);
  }

  /** Replace the snapshot that the gauges show from the next scrape on. */
  update(snapshot: Snapshot): void {
    this.models = this.admitted(snapshot);
    this.snapshot = snapshot;
    this.gauges = undefined;
    if (snapshot.models.length > this.models.size) {
      let dropped = 0;
      for (const series of GAUGES) {
        for (const [{ model }] of series.samples(snapshot)) {
          if (!this.shows(model)) {
            dropped++;
          }
        }
      }
      this.stream.seriesDropped(dropped);
    }
  }

  /** Stop showing numbers until there is a new snapshot. */
  withdraw(): void {
    this.snapshot = undefined;
    this.gauges = undefined;
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Write all metrics as text for Prometheus. The gauges of a snapshot are written only once. */
  async metrics(): Promise<string> {
    const own = await this.registry.metrics();
    this.gauges ??= gaugesText(GAUGES, this.snapshot, (model) => this.shows(model));
    return `${own}\n${this.gauges}`;
  }

  /**
   * Choose the models that may be label values. A chosen model stays chosen as long as the snapshot
   * has it, so that series do not come and go. When a place becomes free, the next model of the
   * snapshot takes it.
   */
  private admitted({ models }: Snapshot): ReadonlySet<string> {
    const kept = models.filter((model) => this.models.has(model));
    const fresh = models.filter((model) => !this.models.has(model));
    return new Set([...kept, ...fresh].slice(0, this.maxModels));
  }

  private shows(model: string | number | undefined): boolean {
    if (model === undefined || model === '' || model === ALL_MODELS) return true;
    if (model === this.snapshot?.baseline) return true;
    return this.models.has(String(model));
  }
}

/**
 * Write the gauges of a snapshot in the text format of Prometheus, version 0.0.4, without NaN. A
 * registry would take 3 to 10 times as long, since it writes thousands of unchanged samples at
 * every scrape (`http.scrape` of `npm run bench`).
 */
function gaugesText(
  all: readonly SnapshotSeries[],
  snapshot: Snapshot | undefined,
  shows: (model: string | number | undefined) => boolean,
): string {
  const labels = new LabelTexts();
  let text = '';
  for (const { name, help, labelNames, samples } of all) {
    text += `# HELP ${name} ${escapedHelp(help)}\n# TYPE ${name} gauge\n`;
    if (snapshot !== undefined) {
      const written = labels.of(labelNames);
      for (const [own, value] of samples(snapshot)) {
        if (Number.isNaN(value) || !shows(own['model'])) continue;
        text += `${name}${written(own)} ${numberText(value)}\n`;
      }
    }
    text += '\n';
  }
  return text;
}

/** Cache of label texts: thousands of samples share a few labels. */
class LabelTexts {
  readonly #written = new Map<string, Map<string | number, string>>();

  /** Create a function that writes the labels of a sample, in the order of the given names. */
  of(names: readonly string[]): (labels: Readonly<Record<string, string | number>>) => string {
    if (names.length === 0) return () => '';
    const columns = names.map((name) => [name, this.#column(name)] as const);
    return (labels) => {
      let text = '{';
      for (const [name, written] of columns) {
        if (text !== '{') {
          text += ',';
        }
        text += textIn(written, name, labels[name]);
      }
      return `${text}}`;
    };
  }

  #column(name: string): Map<string | number, string> {
    const own = this.#written.get(name) ?? new Map<string | number, string>();
    this.#written.set(name, own);
    return own;
  }
}

function textIn(written: Map<string | number, string>, name: string, value: string | number) {
  let text = written.get(value);
  if (text === undefined) {
    text = `${name}="${escapedValue(String(value))}"`;
    written.set(value, text);
  }
  return text;
}

function numberText(value: number): string {
  if (Number.isFinite(value)) return String(value);
  return value > 0 ? '+Inf' : '-Inf';
}

function escapedValue(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n').replaceAll('"', '\\"');
}

function escapedHelp(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll('\n', '\\n');
}
