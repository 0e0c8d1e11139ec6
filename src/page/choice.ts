/** What the reader has chosen; the page's address holds it. Empty: not chosen. */
export interface Choice {
  readonly model: string;
  readonly metric: string;
  /** `none` where the metric has no cut-off. */
  readonly k: string;
  readonly window: string;
  readonly estimator: string;
  readonly aggregation: string;
  readonly span: Span;
  readonly theme: Theme;
  /** Names of models, as `models/names` reads them. */
  readonly pin: string;
  readonly hide: string;
}

export const SPANS = { '1h': 3_600_000, '6h': 21_600_000, '24h': 86_400_000 } as const;
export type Span = keyof typeof SPANS;
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
  theme: 'auto',
  pin: '',
  hide: '',
};

/** Reads the address's query; what means nothing here is as if not chosen. */
export function readChoice(query: string): Choice {
  const given = new URLSearchParams(query);
  const choice: Record<string, string> = { ...NOTHING };
  for (const name of Object.keys(NOTHING)) choice[name] = given.get(name) ?? choice[name];
  if (!Object.hasOwn(SPANS, choice['span'])) choice['span'] = NOTHING.span;
  if (!(THEMES as readonly string[]).includes(choice['theme'])) choice['theme'] = NOTHING.theme;
  return choice as unknown as Choice;
}

/** The query that `readChoice` reads; what was not chosen is left out. */
export function writeChoice(choice: Choice): string {
  const query = new URLSearchParams();
  for (const name of Object.keys(NOTHING) as (keyof Choice)[]) {
    if (choice[name] !== NOTHING[name]) query.set(name, choice[name]);
  }
  const text = query.toString();
  return text === '' ? '' : `?${text}`;
}

/** What the server is asked for: the part of the choice that decides what a tick holds. */
export function tickQuery({ window, metric, k, aggregation }: Choice): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries({ window, metric, k, aggregation })) {
    if (value !== '') query.set(name, value);
  }
  return query.toString();
}
