import { FEATURE_STATE_WORDS } from '../../features/page-words.js';
import { percent, whole } from '../figures.js';
import { clock, duration, instant } from '../times.js';
import { capital, listed } from '../words.js';
import { AWAY_WORDS, asOf } from './away.js';
import { splitWords } from './coverage.js';
import { fatesOf } from './reading.js';
import { plainText, type Sentence, say } from './sentence.js';
import { APART, type State, type StateCode, type StateWords, type WordedState } from './state.js';

/** More names than this are counted. */
const MOST_NAMES = 5;

/** The sentence of every state, and what to do. */
const WORDS: { readonly [Code in StateCode]: StateWords<Code> } = {
  ...FEATURE_STATE_WORDS,
  stream_cut: {
    label: 'Cut off',
    text: ({ figures }) => say`This page cannot reach the service.${asOf(figures.shownTo)}`,
    remedy: 'It keeps trying.',
  },
  failed: {
    label: 'Failed',
    text: () => say`The service has failed and reads nothing any more.`,
    remedy: 'Its log says why; restart it.',
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
      say`Those who read the events go by other settings than the one who ticks.${asOf(figures.shownTo)}`,
    remedy: 'Start all processes of the group with the same configuration.',
  },
  clock_off: {
    label: 'Clock off',
    text: ({ reason = '' }) => say`The clock of the service is off: ${reason}.`,
    remedy: 'Set the clock of its machine.',
  },
  users_split: {
    label: 'Users split',
    text: ({ figures: { users, several, share }, reason }) =>
      say`${percent(share)} of the users (${whole(several)} of a sample of ${whole(users)}) ${splitWords(reason)}: they count as several users each.`,
    remedy: 'Key both topics by user and divide them alike, or read them through unskew intake.',
  },
  stale: {
    label: 'Stale',
    text: ({ figures: { newest, ageMs } }) =>
      say`The newest event is ${duration(ageMs)} old, of ${instant(newest)}.`,
    remedy: 'Check what sends the events, and its clock.',
  },
  topic_silent: {
    label: 'Topic silent',
    text: ({ subject: { topics = [] }, figures: { silentMs } }) =>
      silentMs === null
        ? say`No event has come on ${{ name: topics[0] }} since the start, while the other topic goes on.`
        : say`No event has come on ${{ name: topics[0] }} for ${duration(silentMs)}, while the other topic goes on.`,
    remedy: 'Check what sends to it: estimates need exposures and interactions.',
  },
  transaction_open: {
    label: 'Transaction open',
    text: ({ subject: { topics = [] }, figures: { partition, openMs } }) =>
      say`Partition ${whole(partition)} of ${{ name: topics[0] }} cannot be read on: a transaction in it has been open for ${duration(openMs)}.`,
    remedy:
      'Let its producer commit or abort it, or abort it with kafka-transactions.sh. Numbers wait until then, and nothing is lost.',
  },
  panes_wait: {
    label: 'Held back',
    text: ({ figures: { shownTo, newest } }) =>
      say`Numbers stand at ${instant(shownTo)}, ${duration(newest - shownTo)} behind the newest event.`,
    remedy:
      'A partition or another worker holds them back: Details, Partitions, says how far each is read.',
  },
  not_assigned: {
    label: 'No partition',
    text: ({ reason }) =>
      reason === APART
        ? say`Other processes of the group read some of the partitions, so nobody makes numbers of all of them.`
        : say`This process has no partition: Kafka is rebalancing, or there are more processes than partitions.`,
    remedy: ({ reason }) =>
      reason === APART
        ? 'Start readers with --role read and one process with --role tick, or stop all but one.'
        : 'Wait a minute. If it stays so, run fewer processes, or add partitions.',
  },
  catching_up: {
    label: 'Catching up',
    text: ({ figures: { toRead } }) =>
      toRead === null
        ? say`Reading the backlog.`
        : say`Reading the backlog: ${whole(toRead)} records to go.`,
    remedy: 'Wait: numbers are out of date until then.',
  },
  nothing_read: {
    label: 'No events yet',
    text: ({ subject: { topics = [] } }) => say`No event has come yet on ${listed(names(topics))}.`,
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
            ? 'passed over: the mapping knows no such kind'
            : `rejected (${whole(rejected)}) or passed over (${whole(ignored)})`;
      return all === 1
        ? say`The one event that has come was ${fate}.`
        : say`All ${whole(all)} events that have come were ${fate}.`;
    },
    remedy: ({ figures: { rejected } }) =>
      rejected === 0
        ? 'Check the mapping: unskew doctor says what comes out of a sample.'
        : 'The reasons are below; unskew validate checks a file of them line by line.',
  },
  no_pane: {
    label: 'Waiting',
    text: ({ figures: { newest, due } }) =>
      say`Events have come until ${instant(newest)}; the first numbers appear once those of every partition have passed ${instant(due)}.`,
    remedy: 'Wait, or keep sending: a partition that is silent for time.idle is passed over.',
  },
  uncounted: {
    label: 'Events not counted',
    text: ({ subject: { topics = [] }, figures, reason }) => {
      const most = reason === undefined ? '' : `, most as ${reason}`;
      return say`${percent(figures.share)} of the events of the last hour on ${{ name: topics[0] }} do not count: ${fatesOf(figures)}${most}.`;
    },
    remedy: ({ figures: { late, duplicate, rejected } }) =>
      [
        ...(late > 0
          ? [
              'Late: raise time.lateness above how long events take to arrive, or find what delays them.',
            ]
          : []),
        ...(duplicate > 0 ? ['Duplicates: find the producer that sends ids twice.'] : []),
        ...(rejected > 0
          ? [
              'Rejected: unskew_faults_total counts the reasons, and the dead letters are the events.',
            ]
          : []),
      ].join(' '),
  },
  users_moved: {
    label: 'Users moved',
    text: ({ figures: { share }, since }) =>
      say`${percent(share)} of the users moved to other partitions at about ${clock(since)} UTC, as when partitions are added.`,
    remedy: 'Wait: until the longest window has passed they count twice.',
  },
  models_dropped: {
    label: 'Models left out',
    text: ({ subject: { models = [] }, figures }) => {
      const others = figures.models - models.length;
      const who = others > 0 ? [...names(models), `${whole(others)} more`] : names(models);
      return say`Not evaluated, as there are more models than models.max: ${listed(who)}.`;
    },
    remedy: 'Raise models.max, or send fewer names of models.',
  },
  warming_up: {
    label: 'Warming up',
    text: ({ figures: { countedMs, horizonMs } }) =>
      say`Popularity is counted over ${duration(countedMs)} so far, of ${duration(horizonMs)}.`,
    remedy: 'Expect corrected numbers to move until then.',
  },
  own_lists: {
    label: 'Withheld',
    text: ({ subject: { models = [] } }) =>
      say`Estimates of ${listed(named(models))} are withheld: shown lists caused too many of the interactions.`,
    remedy: 'Look at what users found by themselves, or at what lists are worth.',
  },
  sampled: {
    label: 'Sample',
    text: ({ figures: { ratio } }) =>
      say`Estimates are from 1 user in ${whole(1 / ratio)}, sampled by hash: more comes in than may be kept (limits).`,
    remedy: 'Raise the limits if intervals are too wide.',
  },
};

/** A state as a sentence, names apart. */
export function stateSentence(state: State): Sentence {
  return (WORDS[state.code].text as (state: State) => Sentence)(state);
}

function worded(words: StateWords<StateCode>['label'], state: State): string {
  return typeof words === 'string' ? words : words(state);
}

/** States with sentences and remedies, as JSON has them. */
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

/** A name stays as it is, wherever it stands. */
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
