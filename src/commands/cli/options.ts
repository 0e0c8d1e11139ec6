import type { Config } from '../../config.js';
import type { SimulationOptions } from '../../simulation/options.js';

/** Configurable settings of demo traffic. */
type DemoTraffic = Pick<
  SimulationOptions,
  'causedShare' | 'arms' | 'randomArm' | 'logger' | 'examination' | 'naming' | 'bots' | 'botClicks'
>;

export interface DemoOptions extends DemoTraffic {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly seed: number;
  readonly users: number;
  /** Minutes of traffic available at the start; a minute is a cycle of the users. */
  readonly backlog?: number;
  /** Speed-up: at 10 a minute of traffic takes six seconds. */
  readonly speed: number;
  /** Whether models do not change and one policy serves all lists. */
  readonly plain: boolean;
  /** Event file of lists to evaluate beside the traffic's models. */
  readonly lists?: string;
}

/** Common options of commands that read event files. */
interface FileOptions {
  readonly events: readonly string[];
  /** Configuration from file, environment and flags; its Kafka and HTTP settings are not used. */
  readonly config: Config;
  readonly json: boolean;
  /** Whether the text includes everything, beyond verdict, ranking and cautions. */
  readonly all: boolean;
  /** More invalid events than this end the run with FAULTS; may be Infinity. */
  readonly maxFaults: number;
}

export interface ReplayOptions extends FileOptions {
  /** Number of partitions into which events are split by user; it affects samples, not full numbers. */
  readonly partitions: number;
}

export interface EvaluateOptions extends FileOptions {
  /** Train files: used for popularity, weights and fits, not evaluated. */
  readonly train: readonly string[];
  /** Whether `events` are tables of `unskew/rows@1`. */
  readonly isOfRows?: boolean;
  /** Names of additional questions. */
  readonly questions?: readonly string[];
  /** Path of the report; undefined for none. */
  readonly html?: string | undefined;
  /** Path of the table of results, `.parquet` or `.csv`; undefined for none. */
  readonly out?: string | undefined;
}
