/**
 * The reader's choices, stored in the query of the page's address. An empty text means the default.
 */
export interface Choice {
  readonly model: string;
  readonly metric: string;
  /** Cut-off of the metric; `none` if it has none. */
  readonly k: string;
  readonly window: string;
  readonly estimator: string;
  readonly aggregation: string;
  readonly span: Span;
  /** Start of the time axes if `span` is `own`: a minute in UTC, such as 2026-01-31T12:00. */
  readonly from: string;
  /** End of the time axes, in the same form; empty for now. */
  readonly to: string;
  readonly theme: Theme;
  /**
   * Names of the pinned models, as `namesIn` parses them. `hide` has the names of the hidden models
   * in the same form.
   */
  readonly pin: string;
  readonly hide: string;
  /**
   * Model whose gap is explained; `against` is the model that it is compared with, or empty to
   * compare it with its own uncorrected estimate.
   */
  readonly why: string;
  readonly against: string;
  /** Name of the dimension whose segments are shown. */
  readonly dimension: string;
}

export const SPANS = {
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
} as const;
/** Length of the time axes up to now, or `own` for a custom range. */
export type Span = keyof typeof SPANS | 'own';
export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const NOTHING: Choice = {
  model: '',
  metric: '',
  k: '',
  window: '',
  estimator: '',
  aggregation: '',
  span: '24h',
  from: '',
  to: '',
  theme: 'auto',
  pin: '',
  hide: '',
  why: '',
  against: '',
  dimension: '',
};

/**
 * Parse choices from the query of the address. An invalid time range or theme is replaced by the
 * default.
 */
export function readChoice(query: string): Choice {
  const given = new URLSearchParams(query);
  const choice: Record<string, string> = { ...NOTHING };
  for (const name of Object.keys(NOTHING)) {
    choice[name] = given.get(name) ?? choice[name];
  }
  const { from, to } = choice as unknown as Choice;
  if (choice['span'] !== 'own' || faultOf(from, to) !== '') {
    Object.assign(choice, {
      from: NOTHING.from,
      to: NOTHING.to,
    });
    if (!Object.hasOwn(SPANS, choice['span'])) {
      choice['span'] = NOTHING.span;
    }
  }
  if (!(THEMES as readonly string[]).includes(choice['theme'])) {
    choice['theme'] = NOTHING.theme;
  }
  return choice as unknown as Choice;
}

/** Explain what is wrong with a custom time range; empty if it is valid. */
export function faultOf(from: string, to: string): string {
  if (minuteOf(from) === undefined) return 'Enter the start of the range.';
  if (to === '') return '';
  const until = minuteOf(to);
  if (until === undefined) return 'Enter the end of the range, or leave it empty.';
  return until > minuteOf(from)! ? '' : 'The end must be after the start.';
}

/**
 * Range of the time axes, event time, ms. The range begins after `since` and ends with `until`;
 * `until` is +∞ for a range that ends now.
 */
export function timeRange(
  { span, from, to }: Pick<Choice, 'span' | 'from' | 'to'>,
  paneEnd: number,
): {
  readonly since: number;
  readonly until: number;
} {
  if (span !== 'own') {
    return {
      since: paneEnd - SPANS[span],
      until: Number.POSITIVE_INFINITY,
    };
  }
  return {
    since: minuteOf(from)!,
    until: minuteOf(to) ?? Number.POSITIVE_INFINITY,
  };
}

const MINUTE = /^\d{4}-\d\d-\d\dT\d\d:\d\d$/;

function minuteOf(text: string): number | undefined {
  const ms = MINUTE.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  return ms >= 0 ? ms : undefined;
}

/** Write choices as a query that `readChoice` parses, without default values. */
export function writeChoice(choice: Choice): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(NOTHING) as (keyof Choice)[]) {
    if (choice[name] !== NOTHING[name]) {
      query.set(name, choice[name]);
    }
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** Query for the service, with the choices that determine the content of a tick. */
export function tickQuery({ window, metric, k, aggregation }: Choice): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({
    window,
    metric,
    k,
    aggregation,
  })) {
    if (value !== '') {
      query.set(name, value);
    }
  }
  return query.toString();
}
