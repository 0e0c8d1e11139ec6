import { instant } from '../times.js';
import type { Severity } from './finding.js';
import { type Sentence, say } from './sentence.js';

/** Files, topics and buckets that a service writes. */
export const OUTPUT_NAMES = ['results', 'estimates', 'history', 'dead_letters', 'sets'] as const;
export type OutputName = (typeof OUTPUT_NAMES)[number];

/** What may be away, in the order in which it is reported. */
export const AWAY_PARTS = [
  'broker',
  'schema_registry',
  'intake',
  'state_store',
  'panes_topic',
  ...OUTPUT_NAMES,
] as const;
export type AwayPart = (typeof AWAY_PARTS)[number];

interface AwayWords {
  /** `problem` where numbers stand still meanwhile. */
  readonly severity: Severity;
  readonly label: string;
  readonly text: (reason: string | undefined, shownTo: number | null) => Sentence;
  readonly remedy: string | ((reason: string | undefined) => string);
}

/** What is said of each part that is away. */
export const AWAY_WORDS: Readonly<Record<AwayPart, AwayWords>> = {
  broker: {
    severity: 'problem',
    label: 'Kafka away',
    text: (reason, shownTo) =>
      reason === undefined
        ? say`Kafka cannot be reached.${asOf(shownTo)}`
        : say`Reading has stopped: ${reason}.${asOf(shownTo)}`,
    remedy: (reason) =>
      reason === undefined
        ? 'Check the broker and the network. Nothing is lost while Kafka keeps its log.'
        : 'Fix the topics: reading goes on by itself within half a minute. Nothing is lost while Kafka keeps its log.',
  },
  schema_registry: {
    severity: 'problem',
    label: 'Registry away',
    text: (reason = 'the schema registry cannot be reached', shownTo) =>
      say`Events wait: ${reason}.${asOf(shownTo)}`,
    remedy: 'Check the registry and registry.url. Nothing is lost while Kafka keeps its log.',
  },
  intake: {
    severity: 'problem',
    label: 'Intake waits',
    text: (reason = '', shownTo) => say`Events wait in the intake: ${reason}.${asOf(shownTo)}`,
    remedy:
      'Check the topic, and the right to write to it. Nothing is lost while Kafka keeps its log.',
  },
  state_store: {
    severity: 'caution',
    label: 'Store away',
    text: (reason) =>
      reason === undefined
        ? say`The state store cannot be reached: nothing is saved.`
        : say`Nothing is saved: ${reason.replace(/\.$/, '')}.`,
    remedy: 'Check Redis, or the place of the state. Numbers go on; a restart would wait for it.',
  },
  panes_topic: {
    severity: 'problem',
    label: 'Panes topic away',
    text: (_, shownTo) =>
      say`Closed panes do not get from readers to tickers, because Kafka does not answer for their topic.${asOf(shownTo)}`,
    remedy: 'Check Kafka, and the topic that panes.topic names.',
  },
  results: {
    severity: 'caution',
    label: 'Results wait',
    text: (reason = '') => say`Tables of results wait: ${reason}.`,
    remedy:
      'Check the place of results.out. Numbers go on, and no state is saved until the tables are written.',
  },
  estimates: {
    severity: 'caution',
    label: 'Estimates wait',
    text: (reason = '') => say`Lines of estimates wait: ${reason}.`,
    remedy:
      'Check the file of estimatesFile. Numbers go on, and no state is saved until the lines are written.',
  },
  history: {
    severity: 'caution',
    label: 'History waits',
    text: (reason = '') => say`The history is only in memory: ${reason}.`,
    remedy: 'Check the folder of history.dir. A restart before it is written shows a gap.',
  },
  dead_letters: {
    severity: 'caution',
    label: 'Dead letters wait',
    text: (reason = '') => say`Dead letters wait: ${reason}.`,
    remedy:
      'Check the file or the topic of deadLetters.to. At most 32 MiB wait; letters beyond that are dropped and counted.',
  },
  sets: {
    severity: 'caution',
    label: 'No new set',
    text: (reason = '') => say`The newest set could not be made: ${reason}.`,
    remedy: 'Check the place of export.out, and the reason. It is tried again by itself.',
  },
};

/** Until when the numbers that are shown reach. */
export function asOf(shownTo: number | null): string {
  return shownTo === null ? '' : ` Numbers are as of ${instant(shownTo)}.`;
}
