import type { Config } from '../../config.js';
import type { SimulationOptions } from '../../simulation/options.js';

/** Settings of the demo's traffic that may be changed. */
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
  /** Minutes of traffic, each a cycle of the users, that are there at once. */
  readonly backlog?: number;
  /** How many times as fast as usual all goes: at 10 a minute of it takes six seconds. */
  readonly speed: number;
  /** No model changes, one policy serves all lists. */
  readonly plain: boolean;
  /** Event file of lists that are evaluated beside those of the traffic's models. */
  readonly lists?: string;
}

/** What commands that read event files have in common. */
interface FileOptions {
  readonly events: readonly string[];
  /** From a file, the environment and flags; what it says of Kafka and HTTP is not used. */
  readonly config: Config;
  readonly json: boolean;
  /** Whether text says everything, and not the verdict, the ranking and what limits them alone. */
  readonly all: boolean;
  /** More invalid events than this end the run with FAULTS; may be Infinity. */
  readonly maxFaults: number;
}

export interface ReplayOptions extends FileOptions {
  /** Into how many partitions the events are split by user; the numbers do not depend on it, samples do. */
  readonly partitions: number;
}

export interface EvaluateOptions extends FileOptions {
  /** Feed popularity, posteriors and fits, and are not evaluated. */
  readonly train: readonly string[];
  /** Whether `events` are tables of `unskew/rows@1`. */
  readonly isOfRows?: boolean;
  /** Names of what is asked beside the numbers. */
  readonly questions?: readonly string[];
  /** Where the report goes; undefined for none. */
  readonly html?: string | undefined;
  /** Where the table of results goes, `.parquet` or `.csv`; undefined for none. */
  readonly out?: string | undefined;
}
