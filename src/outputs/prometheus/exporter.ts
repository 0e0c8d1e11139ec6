import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { FEATURE_GAUGES } from '../../features/gauges.js';
import type { Flow } from '../../stream/flow.js';
import type { TopicRole } from '../../stream/ports.js';
import type { Snapshot } from '../../stream/tick/snapshot.js';
import { SNAPSHOT_SERIES, type SnapshotSeries } from './snapshot-series.js';
import { StoreSeries } from './store-series.js';
import { StreamSeries } from './stream-series.js';

/** All gauges of the newest snapshot. */
const GAUGES = [...SNAPSHOT_SERIES, ...FEATURE_GAUGES];

export interface ExporterOptions {
  /** Most models that may be label values; series of further models are dropped and counted. */
  readonly maxModels: number;
  readonly version: string;
  /** Topics whose event counters start at 0, so that the first increase is visible. */
  readonly topics: readonly string[];
  /** Seconds since the last checkpoint of all partitions; undefined without a store. */
  readonly checkpointAge?: () => number | undefined;
}

/**
 * Label for all models together in the series of fits; it is not a model and does not count towards
 * the limit.
 */
const ALL_MODELS = '*';

/**
 * Metrics of one process: gauges follow the newest snapshot, counters are incremented per batch.
 */
export class Exporter {
  readonly registry = new Registry();
  /** Metrics of events in the pipeline. */
  readonly stream: StreamSeries;
  readonly stores: StoreSeries;
  private readonly maxModels: number;
  private snapshot: Snapshot | undefined;
  /** Gauges of the newest snapshot as text, from the first scrape on. */
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

  /** Follow a pipeline. If several processes tick, one shows the numbers. */
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
        // Until now, another process showed the snapshot.
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

  /** Replace the newest snapshot; the gauges show it from the next scrape on. */
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

  /** Remove the snapshot until there is a newer one. */
  withdraw(): void {
    this.snapshot = undefined;
    this.gauges = undefined;
  }

  get contentType(): string {
    return this.registry.contentType;
  }

  /** Render the text that Prometheus scrapes. The gauges of a snapshot are written once. */
  async metrics(): Promise<string> {
    const own = await this.registry.metrics();
    this.gauges ??= gaugesText(GAUGES, this.snapshot, (model) => this.shows(model));
    return `${own}\n${this.gauges}`;
  }

  /**
   * Choose the models that are label values. A model keeps its place while the snapshot has it, so
   * that no series flaps; free places are filled in order.
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
 * Write the gauges of a snapshot in the text format of Prometheus, version 0.0.4. NaN is left out.
 * A registry would rewrite thousands of samples at every scrape although a snapshot does not
 * change, and takes 3 to 10 times as long (`http.scrape` of `npm run bench`).
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

/** Label texts. Thousands of samples share a few labels, so each text is written once. */
class LabelTexts {
  readonly #written = new Map<string, Map<string | number, string>>();

  /** Return a function that writes the labels of a series, in the order of their names. */
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
