import type { Command } from 'commander';
import type { ProgramContext } from './bodies.js';

/** Adds arguments, flags and the action of a command. */
type AddFlags = (command: Command, context: ProgramContext) => void;

/** A command listed in the help; its flags are loaded on demand. */
interface ListedCommand {
  readonly name: string;
  readonly group: string;
  readonly summary: string;
  readonly load: () => Promise<AddFlags>;
}

/** Heading of the first group of commands. */
export const START = 'Start here:';
const FILES = 'Event files:';
const LEARN = 'Test sets, baselines and propensities:';
const OPERATE = 'Operating the service:';

/** Every command, in the order of the help: those for new users come first. */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'demo',
    group: START,
    summary: 'try it: run the service on simulated traffic with known true values, without Kafka',
    load: async () => (await import('./program-service.js')).addDemo,
  },
  {
    name: 'evaluate',
    group: START,
    summary: 'say which model is better, from event files, in one window over all events',
    load: async () => (await import('./program-files.js')).addEvaluate,
  },
  {
    name: 'serve',
    group: START,
    summary: 'run the service: it reads Kafka and serves metrics, an API and a page',
    load: async () => (await import('./program-service.js')).addServe,
  },
  {
    name: 'explain',
    group: START,
    summary: 'explain a code of the output, and what to do about it',
    load: async () => (await import('./program-explain.js')).addExplain,
  },
  {
    name: 'validate',
    group: FILES,
    summary: 'check event files and report what is wrong, with line numbers',
    load: async () => (await import('./program-files.js')).addValidate,
  },
  {
    name: 'replay',
    group: FILES,
    summary: 'evaluate event files window by window, as a service would',
    load: async () => (await import('./program-files.js')).addReplay,
  },
  {
    name: 'simulate',
    group: FILES,
    summary:
      'write simulated event files with known true values: train.ndjson, events.ndjson, truth.json',
    load: async () => (await import('./program-sources.js')).addSimulate,
  },
  {
    name: 'import',
    group: FILES,
    summary: 'write public data sets as event files, with the lists of two simple rankers',
    load: async () => (await import('./program-sources.js')).addImport,
  },
  {
    name: 'sql',
    group: FILES,
    summary: 'print the query that turns tables in DuckDB or Spark into rows for evaluate --rows',
    load: async () => (await import('./program-sql.js')).addSql,
  },
  {
    name: 'export',
    group: LEARN,
    summary: 'draw a debiased test set from event files or from a time range in Kafka',
    load: async () => (await import('./program-export.js')).addExport,
  },
  {
    name: 'train',
    group: LEARN,
    summary: 'train a baseline on ratings and write its lists as events of a shadow model',
    load: async () => (await import('./program-train.js')).addTrain,
  },
  {
    name: 'propensities',
    group: LEARN,
    summary: 'learn how likely each rating is to be observed, for ips and snips of ratings',
    load: async () => (await import('./program-propensities.js')).addPropensities,
  },
  {
    name: 'doctor',
    group: OPERATE,
    summary: 'look at your topics or files, and write a configuration for them',
    load: async () => (await import('./program-service.js')).addDoctor,
  },
  {
    name: 'intake',
    group: OPERATE,
    summary:
      'copy events from topics with any key, schema or partitions into the topics that serve reads',
    load: async () => (await import('./program-service.js')).addIntake,
  },
  {
    name: 'backfill',
    group: OPERATE,
    summary:
      'compute past windows from rows, and add them to the results and the page of a service',
    load: async () => (await import('./program-sql.js')).addBackfill,
  },
  {
    name: 'config',
    group: OPERATE,
    summary: 'print the configuration in effect, and where each value comes from',
    load: async () => (await import('./program-service.js')).addConfig,
  },
  {
    name: 'state',
    group: OPERATE,
    summary: 'inspect, verify, export and import the state that a service keeps',
    load: async () => (await import('./program-state.js')).addState,
  },
  {
    name: 'forget',
    group: OPERATE,
    summary:
      'delete a user from the state and files of a service, and reject the user’s later events',
    load: async () => (await import('./program-state.js')).addForget,
  },
];

/**
 * Find the command that a command line names, if any: the first word that is not a flag, or the
 * one after `help`. The program itself has no flag that takes a value.
 */
export function askedCommand(argv: readonly string[]): string | undefined {
  const words = argv.filter((word) => !word.startsWith('-'));
  return words[0] === 'help' ? words[1] : words[0];
}
