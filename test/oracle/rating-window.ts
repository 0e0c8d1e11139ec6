import { sum } from './evaluated.js';

/** A rated pair, and what each model makes of it. */
export interface PlainRating {
  readonly user: number;
  readonly rating: number;
  readonly isRandom: boolean;
  /** 0: none was logged. */
  readonly propensity: number;
  /** By a file of learned propensities; 0: it knows none. */
  readonly learned: number;
  /** NaN: no prediction. */
  readonly scores: readonly number[];
  /** 1-based; Infinity: not in the list; NaN: no list. */
  readonly ranks: readonly number[];
}

export interface PlainRatings {
  readonly ratings: readonly PlainRating[];
  readonly users: number;
  /** I of U · I. */
  readonly items: number;
  /** From 1 up. */
  readonly values: number;
}

export interface RatingForm {
  readonly metric: string;
  readonly k: number | null;
  readonly estimator: 'naive' | 'snips' | 'ips';
  readonly aggregation: 'user' | 'pooled';
  readonly propensity: 'nb' | 'logged' | 'file';
  readonly smoothing: number;
  readonly maxWeight: number;
}

function delta(
  { metric, k }: RatingForm,
  { rating, scores, ranks }: PlainRating,
  model: number,
  { items, values }: PlainRatings,
): number {
  const error = rating - scores[model];
  const nearest = Math.min(values, Math.max(1, Math.floor(scores[model] + 0.5)));
  const rank = ranks[model];
  if (metric === 'mae') return Math.abs(error);
  if (metric === 'mse' || metric === 'rmse') return error * error;
  if (metric === 'accuracy') return nearest === rating ? 1 : 0;
  if (k !== null && rank > k) return 0;
  return metric === 'cg' ? (items * rating) / k! : (items * rating) / Math.log2(1 + rank);
}

/** A value from its definition; each user's ratings stand `copies` times. */
export function ratingValue(
  all: PlainRatings,
  model: number,
  form: RatingForm,
  copies: readonly number[] = Array.from({ length: all.users }, () => 1),
): number {
  const { estimator, aggregation, metric, smoothing, maxWeight } = form;
  const count = (rows: readonly PlainRating[]) => sum(rows.map(({ user }) => copies[user]));
  const chosen = all.ratings.filter(({ isRandom }) => !isRandom);
  const random = all.ratings.filter(({ isRandom }) => isRandom);
  const raters = [...new Set(chosen.map(({ user }) => user))];
  const pairs = sum(raters.map((user) => copies[user])) * all.items;
  const propensityOf = ({ rating, propensity, learned }: PlainRating) => {
    if (form.propensity === 'logged') return propensity;
    if (form.propensity === 'file') return learned;
    const of = (rows: readonly PlainRating[]) => rows.filter((row) => row.rating === rating);
    const marginal = (count(of(random)) + smoothing) / (count(random) + smoothing * all.values);
    return Math.min(1, count(of(chosen)) / pairs / marginal);
  };
  const weightOf = (row: PlainRating) => {
    if (estimator === 'naive') return 1;
    const p = propensityOf(row);
    return p > 0 ? Math.min(1 / p, maxWeight) : 0;
  };
  const isTaken = ({ scores, ranks }: PlainRating) =>
    !Number.isNaN(metric === 'cg' || metric === 'rating_dcg' ? ranks[model] : scores[model]);
  const users = raters.map((user) => {
    const rows = chosen.filter((row) => row.user === user && isTaken(row));
    return {
      copies: copies[user],
      numerator: sum(rows.map((row) => weightOf(row) * delta(form, row, model, all))),
      denominator: estimator === 'ips' ? all.items : sum(rows.map(weightOf)),
    };
  });
  const weighed = users.filter(({ denominator }) => denominator > 0);
  const mean =
    aggregation === 'pooled'
      ? sum(weighed.map((u) => u.copies * u.numerator)) /
        sum(weighed.map((u) => u.copies * u.denominator))
      : sum(weighed.map((u) => (u.copies * u.numerator) / u.denominator)) /
        sum(weighed.map((u) => u.copies));
  return metric === 'rmse' ? Math.sqrt(mean) : mean;
}

/** Σψ², ψ the slope of the value in each user's number of copies. */
export function squaredInfluences(readValue: (copies: readonly number[]) => number, users: number) {
  const step = 1e-5;
  const at = (user: number, copies: number) =>
    readValue(Array.from({ length: users }, (_, u) => (u === user ? copies : 1)));
  return sum(
    Array.from({ length: users }, (_, user) => {
      const slope = (at(user, 1 + step) - at(user, 1 - step)) / (2 * step);
      return slope * slope;
    }),
  );
}
