import type { Config } from '../../config.js';
import type { SimulationOptions } from '../../simulation/options.js';

/** Options of the simulated traffic that `unskew demo` has flags for. */
type DemoTraffic = Pick<
  SimulationOptions,
  'causedShare' | 'arms' | 'randomArm' | 'logger' | 'examination' | 'naming' | 'bots' | 'botClicks'
>;

export interface DemoOptions extends DemoTraffic {
  readonly host: string;
  /** Port of the page; 0 takes any free one. */
  readonly port: number;
  readonly seed: number;
  readonly users: number;
  /** Minutes of past traffic at the start. In one minute, each user has one session. */
  readonly backlog?: number;
  /** Speed of traffic relative to the clock: at 10, a minute of traffic takes six seconds. */
  readonly speed: number;
  /** Whether models do not change and one policy serves all lists. */
  readonly plain: boolean;
  /** Event file with lists of further models, to evaluate beside those of the traffic. */
  readonly lists?: string;
}

/** Common options of commands that read event files. */
interface FileOptions {
  readonly events: readonly string[];
  /** Configuration from file, environment and flags; its Kafka and HTTP settings are not used. */
  readonly config: Config;
  readonly json: boolean;
  /** Whether the text has all results, in addition to verdict, ranking and cautions. */
  readonly all: boolean;
  /** Number of invalid events above which the run ends with FAULTS; may be Infinity. */
  readonly maxFaults: number;
}

export interface ReplayOptions extends FileOptions {
  /**
   * Number of partitions into which users are split. It affects results from samples, but not exact
   * results.
   */
  readonly partitions: number;
}

export interface EvaluateOptions extends FileOptions {
  /** Event files of the train part, used for popularity, weights and fits, but not evaluated. */
  readonly train: readonly string[];
  /** Whether `events` are tables of `unskew/rows@1`. */
  readonly isOfRows?: boolean;
  /** Names of additional questions to answer in the output. */
  readonly questions?: readonly string[];
  /** Path of the HTML report; undefined for none. */
  readonly html?: string | undefined;
  /** Path of the table of results, `.parquet` or `.csv`; undefined for none. */
  readonly out?: string | undefined;
}
