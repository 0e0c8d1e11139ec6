import { AWAY_WORDS, type AwayPart } from './away.js';
import type { Severity } from './finding.js';
import type { Sentence } from './sentence.js';

/** States in which numbers are out of date or miss part of the events. */
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
 * Find the most urgent state that makes the numbers unreliable right now; undefined if there is
 * none. A model that is left out, an unavailable store, an alarm or sampling does not make the
 * other numbers unreliable.
 *
 * @param states the most urgent first
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

/** Every state of a service with its figures, the most urgent first. */
export interface FiguresByState {
  /** Only on a page that has lost its connection to the service. */
  stream_cut: { shownTo: number | null };
  failed: Record<never, number>;
  /**
   * `before` and `now`: level of the series, null if unknown; `size`: size of the change in
   * standard deviations.
   */
  alarm: {
    firedAt: number;
    more: number;
    before: number | null;
    now: number | null;
    size: number | null;
  };
  /** The part in `subject.part` cannot be read or written. */
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

/** `problem`: do not decide on the numbers now; `caution`: read it first; `note`: good to know. */
const SEVERITY_OF: Readonly<Record<StateCode, Severity>> = {
  stream_cut: 'problem',
  failed: 'problem',
  alarm: 'problem',
  /** `caution` if the numbers advance meanwhile. */
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

/** State codes in the order in which they are reported. */
export const STATE_CODES = Object.keys(SEVERITY_OF) as readonly StateCode[];

export interface StateSubject {
  /** Part that is unavailable. */
  readonly part?: AwayPart;
  readonly models?: readonly string[];
  readonly topics?: readonly string[];
  /** Names of series, as in the drift detectors. */
  readonly series?: readonly string[];
}

/** A state that holds now, as data. */
export type State<Code extends StateCode = StateCode> = {
  [Each in Code]: {
    readonly code: Each;
    readonly severity: Severity;
    /** Start of the state, ms, if its facts include it; null if the observer has to record it. */
    readonly since: number | null;
    readonly subject: StateSubject;
    readonly figures: Readonly<FiguresByState[Each]>;
    /** Explanation that no figure gives, e.g. by how much a clock is off. */
    readonly reason?: string;
  };
}[Code];

/** Words for a state: its sentence, and the remedy. */
export interface StateWords<Code extends StateCode> {
  /** One or two words, for the title of a browser tab. */
  readonly label: string | ((state: State<Code>) => string);
  readonly text: (state: State<Code>) => Sentence;
  readonly remedy: string | ((state: State<Code>) => string);
}

/** A state with its words, as in JSON: label, sentence and remedy. */
export type WordedState = State & {
  readonly label: string;
  readonly text: string;
  readonly remedy: string;
};

/** Builds a state; its severity follows from its code. */
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

/** Reason that a process lacks partitions: others of the group read them. */
export const APART = 'apart';
