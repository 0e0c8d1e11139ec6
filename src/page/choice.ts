/** The reader's choices, stored in the page's address. An empty text means the default. */
export interface Choice {
  readonly model: string;
  readonly metric: string;
  /** `none` where the metric has no cut-off. */
  readonly k: string;
  readonly window: string;
  readonly estimator: string;
  readonly aggregation: string;
  readonly span: Span;
  /** Start of the time axes if `span` is `own`, in UTC minutes such as 2026-01-31T12:00. */
  readonly from: string;
  /** End of the time axes; empty for now. */
  readonly to: string;
  readonly theme: Theme;
  /** Names of models, as `models/names` reads them. */
  readonly pin: string;
  readonly hide: string;
  /** Model whose gap is explained, and the model it is compared with; none means its own uncorrected estimate. */
  readonly why: string;
  readonly against: string;
  /** Dimension of the segments shown. */
  readonly dimension: string;
}

export const SPANS = {
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
} as const;
/** A span that ends now, or a custom one. */
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

/** Parse the address's query; invalid values are ignored. */
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

/** Fault of a custom time range, in words; empty if it is valid. */
export function faultOf(from: string, to: string): string {
  if (minuteOf(from) === undefined) return 'Enter the minute when it begins.';
  if (to === '') return '';
  const until = minuteOf(to);
  if (until === undefined) return 'Enter the minute when it ends, or leave it empty.';
  return until > minuteOf(from)! ? '' : 'The end must be after the beginning.';
}

/** Range of the time axes, ms: after `since`, up to `until`, which is +∞ for now. */
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

/** Format the query for `readChoice`, without default values. */
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

/** Query to the server, from the choices that determine a tick's content. */
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
