import { FEATURE_STATE_WORDS } from '../../features/page-words.js';
import { percent, whole } from '../figures.js';
import { clock, duration, instant } from '../times.js';
import { capital, listed } from '../words.js';
import { AWAY_WORDS, asOf } from './away.js';
import { splitWords } from './coverage.js';
import { fatesOf } from './reading.js';
import { plainText, type Sentence, say } from './sentence.js';
import { APART, type State, type StateCode, type StateWords, type WordedState } from './state.js';

/** Maximum number of names that a sentence lists; further names are only counted. */
const MOST_NAMES = 5;

/** Label, sentence and remedy of each state. */
const WORDS: { readonly [Code in StateCode]: StateWords<Code> } = {
  ...FEATURE_STATE_WORDS,
  stream_cut: {
    label: 'Cut off',
    text: ({ figures }) => say`This page cannot reach the service.${asOf(figures.shownTo)}`,
    remedy: 'The page keeps trying.',
  },
  failed: {
    label: 'Failed',
    text: () => say`The service has failed and stopped reading.`,
    remedy: 'Look in the log of the service for the reason, then restart it.',
  },
  away: {
    label: ({ subject: { part } }) => AWAY_WORDS[part!].label,
    text: ({ subject: { part }, figures, reason }) =>
      AWAY_WORDS[part!].text(reason, figures.shownTo),
    remedy: ({ subject: { part }, reason }) => {
      const { remedy } = AWAY_WORDS[part!];
      return typeof remedy === 'string' ? remedy : remedy(reason);
    },
  },
  workers_differ: {
    label: 'Settings differ',
    text: ({ figures }) =>
      say`Readers run with different settings from the ticker.${asOf(figures.shownTo)}`,
    remedy: 'Start all processes of the group with the same configuration.',
  },
  clock_off: {
    label: 'Clock wrong',
    text: ({ reason = '' }) => say`The clock of the service is wrong: ${reason}.`,
    remedy: 'Correct the clock of the machine.',
  },
  users_split: {
    label: 'Users split',
    text: ({ figures: { users, several, share }, reason }) =>
      say`${percent(share)} of the users (${whole(several)} of a sample of ${whole(users)}) ${splitWords(reason)}, so each of them counts as several users.`,
    remedy:
      'Key both topics by user and partition them in the same way, or read them through unskew intake.',
  },
  stale: {
    label: 'Stale',
    text: ({ figures: { newest, ageMs } }) =>
      say`The newest event is ${duration(ageMs)} old (${instant(newest)}).`,
    remedy: 'Check the producer of the events, and its clock.',
  },
  topic_silent: {
    label: 'Topic silent',
    text: ({ subject: { topics = [] }, figures: { silentMs } }) =>
      silentMs === null
        ? say`No event has arrived on ${{ name: topics[0] }} since the start, while the other topic has new events.`
        : say`No event has arrived on ${{ name: topics[0] }} for ${duration(silentMs)}, while the other topic has new events.`,
    remedy: 'Check the producer of this topic. Estimates need both exposures and interactions.',
  },
  transaction_open: {
    label: 'Transaction open',
    text: ({ subject: { topics = [] }, figures: { partition, openMs } }) =>
      say`Reading of partition ${whole(partition)} of ${{ name: topics[0] }} is blocked by a transaction that has been open for ${duration(openMs)}.`,
    remedy:
      'Have the producer commit or abort the transaction, or abort it with kafka-transactions.sh. Numbers do not advance until then, but no event is lost.',
  },
  panes_wait: {
    label: 'Held back',
    text: ({ figures: { shownTo, newest } }) =>
      say`Numbers stopped at ${instant(shownTo)}, ${duration(newest - shownTo)} behind the newest event.`,
    remedy:
      'A partition or another worker is behind. Details, Partitions shows how far each one has been read.',
  },
  not_assigned: {
    label: 'No partition',
    text: ({ reason }) =>
      reason === APART
        ? say`Other processes of the group read some of the partitions, so no process computes numbers from all of them.`
        : say`This process has no partition to read. Either Kafka is rebalancing, or there are more processes than partitions.`,
    remedy: ({ reason }) =>
      reason === APART
        ? 'Start readers with --role read and one process with --role tick, or stop all but one.'
        : 'Wait a minute. If it does not change, run fewer processes or add partitions.',
  },
  catching_up: {
    label: 'Catching up',
    text: ({ figures: { toRead } }) =>
      toRead === null
        ? say`Reading the backlog.`
        : say`Reading the backlog: ${whole(toRead)} records behind.`,
    remedy: 'Wait. Numbers are out of date until it has caught up.',
  },
  nothing_read: {
    label: 'No events yet',
    text: ({ subject: { topics = [] } }) =>
      say`No event has arrived yet on ${listed(names(topics))}.`,
    remedy: 'Send exposures and interactions to these topics.',
  },
  all_rejected: {
    label: 'All rejected',
    text: ({ figures: { rejected, ignored } }) => {
      const all = rejected + ignored;
      const fate =
        ignored === 0
          ? 'rejected'
          : rejected === 0
            ? 'ignored, because the mapping does not know their kind'
            : `rejected (${whole(rejected)}) or ignored (${whole(ignored)})`;
      return all === 1
        ? say`The only event that has arrived was ${fate}.`
        : say`All ${whole(all)} events that have arrived were ${fate}.`;
    },
    remedy: ({ figures: { rejected } }) =>
      rejected === 0
        ? 'Check the mapping. Run unskew doctor to see how it maps a sample.'
        : 'See the reasons below. Run unskew validate on a file of such events to check it line by line.',
  },
  no_pane: {
    label: 'Waiting',
    text: ({ figures: { newest, due } }) =>
      say`The newest event is from ${instant(newest)}. The first numbers appear when every partition has events after ${instant(due)}.`,
    remedy:
      'Keep sending events, or wait: a partition that has had no events for as long as time.idle no longer delays the numbers.',
  },
  uncounted: {
    label: 'Events not counted',
    text: ({ subject: { topics = [] }, figures, reason }) => {
      const most = reason === undefined ? '' : ` (most as ${reason})`;
      return say`${percent(figures.share)} of the events of the last hour on ${{ name: topics[0] }} were not counted: ${fatesOf(figures)}${most}.`;
    },
    remedy: ({ figures: { late, duplicate, rejected } }) =>
      [
        ...(late > 0
          ? ['Late: find what delays the events, or raise time.lateness above their delay.']
          : []),
        ...(duplicate > 0 ? ['Duplicates: find the producer that sends the same id twice.'] : []),
        ...(rejected > 0
          ? [
              'Rejected: see the reasons in unskew_faults_total, and the events in the dead letters.',
            ]
          : []),
      ].join(' '),
  },
  users_moved: {
    label: 'Users moved',
    text: ({ figures: { share }, since }) =>
      say`${percent(share)} of the users moved to other partitions at about ${clock(since)} UTC, as happens when partitions are added.`,
    remedy: 'Wait. These users count twice until the longest window has passed.',
  },
  models_dropped: {
    label: 'Models left out',
    text: ({ subject: { models = [] }, figures }) => {
      const others = figures.models - models.length;
      const who = others > 0 ? [...names(models), `${whole(others)} more`] : names(models);
      return say`There are more models than models.max, so these are not evaluated: ${listed(who)}.`;
    },
    remedy: 'Raise models.max, or send lists of fewer models.',
  },
  warming_up: {
    label: 'Warming up',
    text: ({ figures: { countedMs, horizonMs } }) =>
      say`Popularity counts cover only ${duration(countedMs)} so far, of ${duration(horizonMs)}.`,
    remedy: 'Corrected numbers may change until all of it is covered.',
  },
  own_lists: {
    label: 'Not reported',
    text: ({ subject: { models = [] } }) =>
      say`Estimates of ${listed(named(models))} are not reported, because served lists drove too many of the interactions.`,
    remedy: 'Read the estimates from organic interactions, or the reward per list.',
  },
  sampled: {
    label: 'Sample',
    text: ({ figures: { ratio } }) =>
      say`Estimates are from 1 user in ${whole(1 / ratio)}, sampled by hash, because more data arrive than the limits allow.`,
    remedy: 'Raise the limits if the intervals are too wide.',
  },
};

/** Write the sentence of a state. */
export function stateSentence(state: State): Sentence {
  return (WORDS[state.code].text as (state: State) => Sentence)(state);
}

function worded(words: StateWords<StateCode>['label'], state: State): string {
  return typeof words === 'string' ? words : words(state);
}

/** Add label, sentence and remedy to states, as in the JSON. */
export function wordedStates(states: readonly State[]): WordedState[] {
  return states.map((state) => {
    const { label, remedy } = WORDS[state.code] as StateWords<StateCode>;
    return {
      ...state,
      label: worded(label, state),
      text: written(stateSentence(state)),
      remedy: worded(remedy, state),
    };
  });
}

/** Convert a sentence to text, with a capital first letter unless it starts with a name. */
function written(sentence: Sentence): string {
  const text = plainText(sentence);
  return typeof sentence[0] === 'string' ? capital(text) : text;
}

function names(all: readonly string[]) {
  return all.map((name) => ({ name }));
}

function named(models: readonly string[]) {
  const others = models.length - MOST_NAMES;
  if (others <= 0) return names(models);
  return [...names(models.slice(0, MOST_NAMES)), `${whole(others)} more`];
}
