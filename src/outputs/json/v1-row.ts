import { DOUBTFUL } from '../../estimators/feedback/verdict.js';
import { aggregationOf, NO_REASONS } from '../../rows/reading.js';
import type {
  Consequence,
  Difference,
  Row,
  ShownDifference,
  ShownRow,
  Wire,
} from '../../rows/row.js';

export function v1Identity<Of extends Pick<Row, 'model' | 'metric' | 'k' | 'estimator' | 'form'>>(
  row: Of,
) {
  const { model, metric, k, estimator }: Pick<Of, 'model' | 'metric' | 'k' | 'estimator'> = row;
  return {
    model,
    metric,
    k,
    estimator,
    aggregation: aggregationOf(row) as AggregationOf<Of>,
  };
}

type AggregationOf<Of extends Pick<Row, 'form'>> = Of['form'] extends 'list'
  ? 'pooled'
  : Of['form'];

export function v1Interval({ value, stdErr, lower, upper }: Pick<Row, Interval>) {
  return {
    value,
    stdErr,
    lower,
    upper,
  };
}

type Interval = 'value' | 'stdErr' | 'lower' | 'upper';

/**
 * Texts for `proved` in JSON. In memory, `proved` is −1, 0 or 1; its text is at the index `proved`
 * + 1.
 */
export const PROVED = ['worse', null, 'better'] as const;

type Maybe = number | null;

/** A row of any family as version 1 of the JSON writes it. */
export type V1Row = Pick<ShownRow, 'model' | 'metric' | 'k' | 'estimator' | Interval | 'ess'> &
  Partial<Pick<ShownDifference, 'reference' | 'referenceEstimator' | 'guarantees'>> & {
    readonly [Count in 'users' | 'events' | 'requests' | 'lists']?: Maybe;
  } & { readonly [Sum in 'numerator' | 'denominator']?: Maybe } & {
    readonly aggregation: 'pooled' | 'user' | 'request';
    readonly withheld?: string | null;
    readonly isDoubtful?: boolean;
    readonly objection?: string;
    readonly isRefused?: boolean;
    readonly decides?: boolean;
    readonly proved?: 'better' | 'worse' | null;
    readonly reasons?: readonly (Pick<ShownRow['reasons'][number], 'code' | 'figures'> & {
      readonly consequence: string;
    })[];
  };

/** Fields that version 1 of the JSON has in the rows of some families only. */
const MORE = [
  'gammaSlope',
  'gammaStdErr',
  'samplingStdErr',
  'uncorrected',
  'withinUserEss',
  'caused',
  'own',
  'other',
  'bound',
  'coverage',
  'clippingBias',
];

/**
 * Convert a row of the event stream, in version 1 of the JSON, to its form in memory; runs in the
 * browser.
 */
export function rowFromV1<Given extends V1Row>(
  row: Given,
  family: string,
): Wire<Given extends { readonly reference: string } ? Difference : Row> {
  const { model, metric, k, estimator, aggregation, value, stdErr, lower, upper, ess } = row;
  const { reference, referenceEstimator, guarantees, reasons = NO_REASONS, proved } = row;
  const isOfPairs = family === 'ratings';
  const counts = {
    users: row.users,
    requests: row.requests,
    lists: row.lists,
    ...(isOfPairs ? { pairs: row.events } : { rows: row.events }),
  };
  const figures = MORE.flatMap((name) => {
    const own = (row as Readonly<Record<string, unknown>>)[name];
    return own === undefined ? [] : [[name, own as Maybe] as const];
  });
  const found = [
    ...reasons.map(({ code, consequence, figures }) => ({
      code,
      figures,
      consequence: CONSEQUENCES.get(consequence)!,
    })),
    ...(reasons.length > 0 ? [] : reasonsOf(row, Object.fromEntries(figures), family)),
  ];
  const given = {
    family,
    model,
    metric,
    k,
    estimator,
    ...(reference !== undefined && { reference }),
    ...(referenceEstimator !== undefined && { referenceEstimator }),
    form: family === 'on_policy' ? 'list' : aggregation,
    value,
    stdErr,
    lower,
    upper,
    ess,
    counts: Object.fromEntries(Object.entries(counts).filter(([, count]) => count !== undefined)),
    status: statusOf(row, found),
    reasons: found.length === 0 ? NO_REASONS : found,
    more: {
      ...Object.fromEntries(figures),
      ...(proved !== undefined && { proved: PROVED.indexOf(proved) - 1 }),
    },
    ...(guarantees && { guarantees }),
    ...(row.numerator !== undefined && {
      sums: {
        numerator: row.numerator,
        denominator: row.denominator,
      },
    }),
  };
  return given as unknown as ReturnType<typeof rowFromV1<Given>>;
}

/**
 * Names that findings and version 1 of the JSON use for the consequences of a reason, in rows on
 * the reward per request.
 */
export const VALUE_OUTCOMES = {
  refused: 'refused',
  bound: 'lower_bound',
  undecided: 'no_verdict',
  caution: 'caution',
} as const satisfies Record<Exclude<Consequence, 'withheld'>, string>;

type Found = {
  readonly code: string;
  readonly consequence: Consequence;
};

const CONSEQUENCES: ReadonlyMap<string, Consequence> = new Map(
  Object.entries(VALUE_OUTCOMES).map(([own, sent]) => [sent, own as Consequence]),
);

function reasonsOf(
  { withheld, isDoubtful, objection }: V1Row,
  more: Record<string, Maybe>,
  family: string,
) {
  const { caused, own, other } = more;
  const figures =
    caused === undefined
      ? {}
      : {
          caused,
          own,
          other,
        };
  if (typeof withheld === 'string') {
    const consequence: Consequence = family === 'values' ? 'refused' : 'withheld';
    return [
      {
        code: withheld,
        consequence,
        figures,
      },
    ];
  }
  if (isDoubtful !== true) return [];
  return [
    {
      code: objection ?? DOUBTFUL,
      consequence: 'caution' as const,
      figures,
    },
  ];
}

function statusOf({ isRefused, withheld }: V1Row, reasons: readonly Found[]): Row['status'] {
  const has = (asked: Consequence) => reasons.some(({ consequence }) => consequence === asked);
  if (isRefused === true || has('refused')) return 'refused';
  if (typeof withheld === 'string') return 'withheld';
  return has('bound') ? 'bound' : 'given';
}
