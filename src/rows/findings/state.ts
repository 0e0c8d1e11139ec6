import { AWAY_WORDS, type AwayPart } from './away.js';
import type { Severity } from './finding.js';
import type { Sentence } from './sentence.js';

/** Codes of states in which numbers are out of date or lack some of the events. */
const HOLDS_BACK: ReadonlySet<StateCode> = new Set([
  'stream_cut',
  'failed',
  'clock_off',
  'users_split',
  'stale',
  'topic_silent',
  'transaction_open',
  'panes_wait',
  'workers_differ',
  'not_assigned',
  'catching_up',
]);

/**
 * Find the most urgent state that makes the numbers unreliable at present; undefined if there is
 * none. A model that is left out, an unavailable store, an alarm or sampling does not make the
 * other numbers unreliable.
 *
 * @param states states, the most urgent first
 * @example
 * heldBack([{ code: 'stale', severity: 'problem' }])?.code; // 'stale'
 * heldBack([{ code: 'warming_up', severity: 'note' }]); // undefined
 */
export function heldBack<Each extends Pick<State, 'code' | 'severity'>>(
  states: readonly Each[],
): Each | undefined {
  return states.find(
    ({ code, severity }) => HOLDS_BACK.has(code) || (code === 'away' && severity === 'problem'),
  );
}

/** All state codes with the figures of each, the most urgent first. */
export interface FiguresByState {
  /** The page has lost its connection to the service; a service never reports this itself. */
  stream_cut: { shownTo: number | null };
  failed: Record<never, number>;
  /**
   * A drift alarm. `before` and `now` are the level of the series before and after the change, null
   * if unknown. `size` is the size of the change in standard deviations. `more` is the number of
   * further series with an alarm.
   */
  alarm: {
    firedAt: number;
    more: number;
    before: number | null;
    now: number | null;
    size: number | null;
  };
  /** A part of the service, `subject.part`, cannot be reached or written. */
  away: { shownTo: number | null };
  workers_differ: { shownTo: number | null };
  clock_off: Record<never, number>;
  users_split: {
    users: number;
    several: number;
    share: number;
  };
  stale: {
    newest: number;
    ageMs: number;
  };
  topic_silent: { silentMs: number | null };
  transaction_open: {
    partition: number;
    openMs: number;
  };
  panes_wait: {
    shownTo: number;
    newest: number;
  };
  not_assigned: Record<never, number>;
  catching_up: { toRead: number | null };
  nothing_read: Record<never, number>;
  all_rejected: {
    rejected: number;
    ignored: number;
  };
  no_pane: {
    newest: number;
    due: number;
    idleMs: number;
  };
  uncounted: {
    share: number;
    late: number;
    duplicate: number;
    rejected: number;
  };
  users_moved: { share: number };
  models_dropped: { models: number };
  warming_up: {
    countedMs: number;
    horizonMs: number;
  };
  learning: {
    learning: number;
    series: number;
    panes: number;
    paneMs: number;
  };
  own_lists: Record<never, number>;
  sampled: { ratio: number };
}

export type StateCode = keyof FiguresByState;

/**
 * Severity of each state. `problem`: do not decide on the numbers now; `caution`: read it before
 * you decide; `note`: good to know.
 */
const SEVERITY_OF: Readonly<Record<StateCode, Severity>> = {
  stream_cut: 'problem',
  failed: 'problem',
  alarm: 'problem',
  /** Reported as `caution` if the numbers advance although the part is unavailable. */
  away: 'problem',
  workers_differ: 'problem',
  clock_off: 'problem',
  users_split: 'problem',
  stale: 'problem',
  topic_silent: 'problem',
  transaction_open: 'problem',
  panes_wait: 'problem',
  not_assigned: 'caution',
  catching_up: 'caution',
  nothing_read: 'note',
  all_rejected: 'problem',
  no_pane: 'note',
  uncounted: 'caution',
  users_moved: 'caution',
  models_dropped: 'caution',
  warming_up: 'note',
  learning: 'note',
  own_lists: 'caution',
  sampled: 'note',
};

/** All state codes, in the order in which states are reported. */
export const STATE_CODES = Object.keys(SEVERITY_OF) as readonly StateCode[];

export interface StateSubject {
  /** Name of the unavailable part. */
  readonly part?: AwayPart;
  readonly models?: readonly string[];
  readonly topics?: readonly string[];
  /** Names of the series with an alarm, as drift detection calls them. */
  readonly series?: readonly string[];
}

/** A state of a service at present, as data: code, severity, subject and figures. */
export type State<Code extends StateCode = StateCode> = {
  [Each in Code]: {
    readonly code: Each;
    readonly severity: Severity;
    /**
     * Time since which the state holds, ms. Null if the facts do not contain this time; the caller
     * then records it.
     */
    readonly since: number | null;
    readonly subject: StateSubject;
    readonly figures: Readonly<FiguresByState[Each]>;
    /** Detail that no figure expresses, e.g. by how much a clock is wrong. */
    readonly reason?: string;
  };
}[Code];

/** Texts about a state: label, sentence and remedy. */
export interface StateWords<Code extends StateCode> {
  /** Label of one or two words, as in the title of a browser tab. */
  readonly label: string | ((state: State<Code>) => string);
  readonly text: (state: State<Code>) => Sentence;
  readonly remedy: string | ((state: State<Code>) => string);
}

/** A state with its texts, as in the JSON. */
export type WordedState = State & {
  readonly label: string;
  readonly text: string;
  readonly remedy: string;
};

/** Create a state; its severity is that of its code. */
export function stateOf<Code extends StateCode>(
  code: Code,
  figures: FiguresByState[Code],
  more: Partial<Pick<State, 'since' | 'subject' | 'reason'>> = {},
): State {
  const { since = null, subject = {}, ...rest } = more;
  const severity =
    subject.part === undefined ? SEVERITY_OF[code] : AWAY_WORDS[subject.part].severity;
  return {
    code,
    severity,
    since,
    subject,
    figures,
    ...rest,
  } as State;
}

/** Sort states by urgency; states with the same code keep their order. */
export function byUrgency<Each extends Pick<State, 'code'>>(states: readonly Each[]): Each[] {
  return STATE_CODES.flatMap((code) => states.filter((state) => state.code === code));
}

/** Reason why a process has no partitions: other processes of the group read them. */
export const APART = 'apart';
