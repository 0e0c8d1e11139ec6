import type { Command } from 'commander';
import type { ProgramContext } from '../program-context.js';

/** Gives a command its arguments and flags, and what it does. */
type AddFlags = (command: Command, context: ProgramContext) => void;

/** A command as the program's own help names it; its flags are loaded when they are wanted. */
interface ListedCommand {
  readonly name: string;
  readonly summary: string;
  readonly load: () => Promise<AddFlags>;
}

/** Every command, in the order of the help. */
export const COMMANDS: readonly ListedCommand[] = [
  {
    name: 'serve',
    summary: 'the service: Kafka in; metrics, API and page out',
    load: async () => (await import('./program-service.js')).addServe,
  },
  {
    name: 'demo',
    summary: 'the same service on an embedded broker with simulated traffic of known truth',
    load: async () => (await import('./program-service.js')).addDemo,
  },
  {
    name: 'config',
    summary: 'prints the effective configuration, and where each value comes from',
    load: async () => (await import('./program-service.js')).addConfig,
  },
  {
    name: 'evaluate',
    summary: 'one window over everything in the event files',
    load: async () => (await import('./program-files.js')).addEvaluate,
  },
  {
    name: 'replay',
    summary: 'the streaming pipeline over event files, window by window',
    load: async () => (await import('./program-files.js')).addReplay,
  },
  {
    name: 'validate',
    summary: 'checks event files and says what is wrong, with line numbers',
    load: async () => (await import('./program-files.js')).addValidate,
  },
  {
    name: 'export',
    summary: 'a debiased test set, drawn from event files or from a range of Kafka',
    load: async () => (await import('./program-export.js')).addExport,
  },
  {
    name: 'propensities',
    summary: 'learns how likely each rating is to be observed, for ips and snips of ratings',
    load: async () => (await import('./program-propensities.js')).addPropensities,
  },
  {
    name: 'simulate',
    summary: 'writes event files with known truth: train.ndjson, events.ndjson, truth.json',
    load: async () => (await import('./program-sources.js')).addSimulate,
  },
  {
    name: 'import',
    summary: 'public data sets as events, with the lists of two simple rankers',
    load: async () => (await import('./program-sources.js')).addImport,
  },
  {
    name: 'train',
    summary: 'learns a baseline from ratings and writes its lists as events of a shadow model',
    load: async () => (await import('./program-train.js')).addTrain,
  },
  {
    name: 'state',
    summary: 'the state that a service keeps: inspect, verify, export, import',
    load: async () => (await import('./program-state.js')).addState,
  },
];

/**
 * The command that a command line is about, if any: the first word that is no flag, or the one
 * after `help`. The program itself has no flag that takes a value.
 */
export function askedCommand(argv: readonly string[]): string | undefined {
  const words = argv.filter((word) => !word.startsWith('-'));
  return words[0] === 'help' ? words[1] : words[0];
}
