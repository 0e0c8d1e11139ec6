import { instant } from '../times.js';
import type { Severity } from './finding.js';
import { type Sentence, say } from './sentence.js';

/** Names of a service's outputs: files, topics and buckets. */
export const OUTPUT_NAMES = ['results', 'estimates', 'history', 'dead_letters', 'sets'] as const;
export type OutputName = (typeof OUTPUT_NAMES)[number];

/** Parts of a service that may be unavailable, in the order in which they are reported. */
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
  /**
   * Severity of the state; `problem` if the numbers do not advance while the part is unavailable.
   */
  readonly severity: Severity;
  readonly label: string;
  readonly text: (reason: string | undefined, shownTo: number | null) => Sentence;
  readonly remedy: string | ((reason: string | undefined) => string);
}

/** Texts about each part that may be unavailable. */
export const AWAY_WORDS: Readonly<Record<AwayPart, AwayWords>> = {
  broker: {
    severity: 'problem',
    label: 'Kafka unreachable',
    text: (reason, shownTo) =>
      reason === undefined
        ? say`Kafka cannot be reached.${asOf(shownTo)}`
        : say`Reading has stopped: ${reason}.${asOf(shownTo)}`,
    remedy: (reason) =>
      reason === undefined
        ? 'Check the broker and the network. No event is lost as long as Kafka retains it.'
        : 'Fix the topics. Reading resumes within half a minute, and no event is lost as long as Kafka retains it.',
  },
  schema_registry: {
    severity: 'problem',
    label: 'Registry unreachable',
    text: (reason = 'the schema registry cannot be reached', shownTo) =>
      say`Reading has stopped: ${reason}.${asOf(shownTo)}`,
    remedy: 'Check the registry and registry.url. No event is lost as long as Kafka retains it.',
  },
  intake: {
    severity: 'problem',
    label: 'Intake blocked',
    text: (reason = '', shownTo) =>
      say`The intake cannot write its events: ${reason}.${asOf(shownTo)}`,
    remedy:
      'Check the topic and the permission to write to it. No event is lost as long as Kafka retains it.',
  },
  state_store: {
    severity: 'caution',
    label: 'Store unreachable',
    text: (reason) =>
      reason === undefined
        ? say`The state store cannot be reached, so no state is saved.`
        : say`No state is saved: ${reason.replace(/\.$/, '')}.`,
    remedy:
      'Check Redis, or the folder or bucket of the state. Numbers are still updated, but a process that restarts waits for the store.',
  },
  panes_topic: {
    severity: 'problem',
    label: 'Panes topic unreachable',
    text: (_, shownTo) =>
      say`Readers cannot send closed panes to the ticker, because Kafka does not answer for the panes topic.${asOf(shownTo)}`,
    remedy: 'Check Kafka and the topic set in panes.topic.',
  },
  results: {
    severity: 'caution',
    label: 'Results not written',
    text: (reason = '') => say`Tables of results cannot be written: ${reason}.`,
    remedy:
      'Check the folder or bucket set in results.out. Numbers are still updated, but no state is saved until the tables are written.',
  },
  estimates: {
    severity: 'caution',
    label: 'Estimates not written',
    text: (reason = '') => say`Estimates cannot be written: ${reason}.`,
    remedy:
      'Check the file set in estimatesFile. Numbers are still updated, but no state is saved until its lines are written.',
  },
  history: {
    severity: 'caution',
    label: 'History not written',
    text: (reason = '') => say`The history cannot be written and is only in memory: ${reason}.`,
    remedy:
      'Check the folder set in history.dir. If the service restarts before then, the charts will have a gap.',
  },
  dead_letters: {
    severity: 'caution',
    label: 'Dead letters not written',
    text: (reason = '') => say`Dead letters cannot be written: ${reason}.`,
    remedy:
      'Check the file or topic set in deadLetters.to. Up to 32 MiB of dead letters wait in memory until it works again. Further ones are dropped and counted.',
  },
  sets: {
    severity: 'caution',
    label: 'Test set failed',
    text: (reason = '') => say`The newest test set could not be made: ${reason}.`,
    remedy:
      'Check the reason, and the folder or bucket set in export.out. The service tries again on its own.',
  },
};

/** Write the time that the shown numbers reach, as a sentence; empty before the first numbers. */
export function asOf(shownTo: number | null): string {
  return shownTo === null ? '' : ` Numbers are as of ${instant(shownTo)}.`;
}
