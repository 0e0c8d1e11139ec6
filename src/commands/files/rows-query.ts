import { horizonsOf, type PopularityOptions } from '../../state/counts/popularity.js';
import { bucketMs } from '../../state/counts/rolling-counts.js';
import { FOLLOW_UP_MS } from '../../state/panes/row-causes.js';
import { pastStepMs, seedSettings } from '../../stream/files/seed.js';
import { type MonitorOptions, popularityOptions } from '../../stream/options.js';

export const DIALECTS = ['duckdb', 'spark'] as const;
export type Dialect = (typeof DIALECTS)[number];

export const KINDS = ['rows', 'popularity', 'lists'] as const;
export type Kind = (typeof KINDS)[number];

/** Settings that `unskew sql` applies to the tables; readers of a table cannot change them. */
export interface RowSettings {
  readonly ttlMs: number;
  /** Longest time by which an interaction may precede the list it is attributed to by id, ms. */
  readonly skewMs: number;
  readonly minValue: number;
  /** Reward of each action, by name. */
  readonly actions: Readonly<Record<string, number>>;
  /** Which interactions count for popularity, and over which horizons. */
  readonly popularity: PopularityOptions;
  /** Interval between past windows that can be computed from the counts, ms. */
  readonly stepMs: number;
  /**
   * Settings that the counts depend on, as text by name. Readers of the counts compare them with
   * their own settings.
   */
  readonly stated: Readonly<Record<string, string>>;
}

/** Derive the settings of the tables from the options that `evaluate` and `serve` use. */
export function rowSettings(options: MonitorOptions): RowSettings {
  const { attributionTtlMs: ttlMs, clockSkewMs: skewMs = 0 } = options;
  const { positiveMinValue: minValue, actions = {} } = options;
  const popularity = popularityOptions(options);
  const stepMs = pastStepMs(options);
  const stated = seedSettings(options);
  return {
    ttlMs,
    skewMs,
    minValue,
    actions,
    popularity,
    stepMs,
    stated,
  };
}

/** Expressions that differ between SQL engines. */
interface Words {
  readonly text: string;
  readonly each: string;
  readonly size: string;
  quoted(text: string): string;
  /** Write the element of a list at a position. The position exists, and the first one is 1. */
  element(list: string, place: string): string;
  /** Write the aggregation of a group's values to a list, ordered by model. */
  listed(value: string, model: string): string;
  /** Final clause that keeps the rows of a user together and in order of time. */
  readonly order: string;
}

const WORDS: Readonly<Record<Dialect, Words>> = {
  duckdb: {
    text: 'varchar',
    each: 'unnest',
    size: 'len',
    quoted: (text) => `'${text.replaceAll("'", "''")}'`,
    element: (list, place) => `${list}[${place}]`,
    listed: (value, model) => `list(${value} order by ${model})`,
    order: 'order by f.user, f.ts, f.id',
  },
  spark: {
    text: 'string',
    each: 'explode',
    size: 'size',
    quoted: (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`,
    element: (list, place) => `element_at(${list}, cast(${place} as int))`,
    listed: (value, model) =>
      `transform(sort_array(collect_list(struct(${model} as m, ${value} as v))), x -> x.v)`,
    order: 'distribute by user sort by user, ts, id',
  },
};

/**
 * Write a query that returns one of the tables of `unskew/rows@1`. It reads two tables of canonical
 * events, `interactions` and `exposures`. It follows the rules of `attribute` and `ListStore`,
 * which a property test checks. Of events in the same millisecond, the one with the lower id comes
 * first.
 */
export function rowsQuery(dialect: Dialect, kind: Kind, settings: RowSettings): string {
  const words = WORDS[dialect];
  const known = [
    interactions(settings, words),
    exposures(words),
    aligned(settings),
    facts(settings),
  ];
  const query = {
    rows: rowsOf,
    popularity: popularityOf,
    lists: listsOf,
  }[kind];
  const { more, select } = query(settings, words);
  return `-- unskew/rows@1: ${kind}, for ${dialect}
with ${[...known, ...more].join(', ')}\n${select}\n`;
}

/**
 * A select statement, and in `more` the common table expressions that only this statement needs.
 */
interface Query {
  readonly more: readonly string[];
  readonly select: string;
}

const worthOf = ({ actions }: RowSettings, { quoted }: Words): string => {
  const click = Object.hasOwn(actions, 'click') ? actions['click'] : 1;
  const named = Object.entries({
    ...actions,
    click,
  });
  const cases = named.map(([action, worth]) => `when ${quoted(action)} then ${worth}`);
  return `case coalesce(i.action, 'click') ${cases.join(' ')} else 1 end`;
};

/**
 * Table expression `stated`: the interactions. Of several interactions with the same id, the
 * earliest counts.
 */
const interactions = (settings: RowSettings, words: Words) => `stated as (
  select * from (
    select i.id, i.ts, i.user, i.item, i.action, i.exposure,
      cast(coalesce(i.value, 1) as double) as value,
      coalesce(i.randomized, false) as randomized,
      cast(${worthOf(settings, words)} as double) as worth,
      coalesce(i.value, 1) >= ${settings.minValue} and ${worthOf(settings, words)} > 0 as positive,
      row_number() over (partition by i.id order by i.ts, i.user, i.item) as copy
    from interactions i
  ) once where once.copy = 1
)`;

/**
 * Table expression `exposure`: the lists. Of several lists with the same id, the earliest counts. A
 * list that was ranked from a sample of the candidates has −1 as `candidates` if it contains the
 * whole sample. Otherwise it has null, since no metric can be computed from part of such a ranking.
 */
const exposures = ({ size }: Words) => `exposure as (
  select * from (
    select e.id, e.ts, e.user, e.model, e.items, e.propensities, ${size}(e.items) as length,
      coalesce(e.shown, true) as shown, coalesce(e.randomized, false) as randomized,
      case when not coalesce(e.sampled, false) then coalesce(e.candidates, 0)
        when e.candidates = ${size}(e.items) then -1 end as candidates,
      row_number() over (partition by e.id order by e.ts, e.user, e.model) as copy
    from exposures e
  ) once where once.copy = 1
)`;

/**
 * Table expression `interaction`: the interactions, corrected for clock skew. If an interaction has
 * the id of a list that is later by at most `skewMs`, it gets the time of that list.
 */
const aligned = ({ skewMs }: RowSettings) => `interaction as (
  select i.id, coalesce(e.ts, i.ts) as ts, i.user, i.item, i.action, i.exposure, i.value,
    i.randomized, i.worth, i.positive
  from stated i left join exposure e
    on e.id = i.exposure and e.user = i.user and e.ts > i.ts and e.ts - i.ts <= ${skewMs}
)`;

/** Table expression `fact`: interactions, each joined with the list it is attributed to by id. */
const facts = ({ ttlMs }: RowSettings) => `named as (
  select i.id, e.id as list, e.ts as shown_at, e.model, e.shown, e.randomized, e.candidates,
    coalesce(array_position(e.items, i.item), 0) as place
  from interaction i join exposure e
    on e.id = i.exposure and e.user = i.user and e.ts <= i.ts and i.ts - e.ts <= ${ttlMs}
), fact as (
  select i.id, i.ts, i.user, i.item, i.action, i.value, i.worth, i.positive,
    i.exposure is not null as names,
    i.randomized, coalesce(n.randomized, false) as drawn,
    i.randomized or coalesce(n.randomized, false) as at_random,
    n.list, n.shown_at, n.model, n.shown, n.place, n.candidates is not null as ranks,
    n.candidates is not null and not n.shown as hidden
  from interaction i left join named n on n.id = i.id
)`;

function rowsOf({ ttlMs }: RowSettings, { element, listed, order }: Words): Query {
  const soFar = 'rows between unbounded preceding and current row';
  const chance = `case when n.shown and not n.randomized and n.propensities is not null
      and coalesce(array_position(n.items, a.item), 0) > 0
      then ${element('n.propensities', 'array_position(n.items, a.item)')} end`;
  const causes = `touching as (
  select f.*, case when f.place > 0 and f.ranks then f.model else '' end as direct,
    f.ts - lag(f.ts) over (partition by f.user, f.item order by f.ts, f.id) as gap
  from fact f where not f.names or not (f.hidden or f.at_random)
), chained as (
  select t.*, sum(case when t.names or t.gap > ${FOLLOW_UP_MS} then 1 else 0 end)
    over (partition by t.user, t.item order by t.ts, t.id ${soFar}) as chain
  from touching t
), caused as (
  select c.id, first_value(case when c.names then c.direct end)
    over (partition by c.user, c.item, c.chain order by c.ts, c.id) as cause
  from chained c
)`;
  // The latest list of each model at an interaction is identified by its number among the user's
  // lists.
  const lists = `asked as (
  select i.id, i.ts, i.user, i.item, m.model
  from interaction i join (select distinct e.user, e.model from exposure e) m on m.user = i.user
), numbered as (
  select e.*, row_number() over (partition by e.user, e.model order by e.ts, e.id) as number
  from exposure e
), counted as (
  select t.*, sum(1 - t.kind)
    over (partition by t.user, t.model order by t.ts, t.kind, t.id ${soFar}) as lists
  from (
    select e.user, e.model, e.ts, 0 as kind, e.id, e.model as item from exposure e
    union all select a.user, a.model, a.ts, 1 as kind, a.id, a.item from asked a
  ) t
), looked as (
  select a.id, n.ts, n.model, n.length, n.candidates, 0 as is_named,
    coalesce(array_position(n.items, a.item), 0) as place, cast(${chance} as double) as propensity
  from counted a join numbered n
    on n.user = a.user and n.model = a.model and n.number = a.lists
  join fact f on f.id = a.id
  where a.kind = 1 and a.ts - n.ts <= ${ttlMs} and n.candidates is not null
    and not (f.ranks and f.model = n.model)
  union all
  select a.id, n.ts, n.model, n.length, n.candidates, 1 as is_named, a.place,
    cast(${chance} as double) as propensity
  from fact a join exposure n on n.id = a.list where a.ranks
), ranked as (
  select l.id, ${listed('l.model', 'l.model')} as models, ${listed('l.place', 'l.model')} as ranks,
    ${listed('l.length', 'l.model')} as lengths, ${listed('l.candidates', 'l.model')} as candidates
  from looked l group by l.id
), likely as (
  select l.id, l.propensity, row_number() over (partition by l.id order by l.is_named desc,
    case when l.propensity is null then 1 else 0 end, l.ts desc, l.model) as choice
  from looked l
)`;
  const served = `showing as (
  select e.user, e.ts, e.model, row_number() over (partition by e.user order by e.ts, e.id) as number
  from exposure e where e.shown
), watched as (
  select t.*, sum(1 - t.kind) over (partition by t.user order by t.ts, t.kind, t.id ${soFar}) as lists
  from (
    select e.user, e.ts, 0 as kind, e.id from exposure e where e.shown
    union all select i.user, i.ts, 1 as kind, i.id from interaction i
  ) t
), last_shown as (
  select w.id, s.model as served from watched w
  join showing s on s.user = w.user and s.number = w.lists
  where w.kind = 1 and w.ts - s.ts <= ${ttlMs}
)`;
  return {
    more: [causes, lists, served],
    select: `select f.id as id, f.user as user, f.item as item, f.ts as ts, f.positive as positive,
  f.randomized as randomized, f.drawn as drawn, f.names and not f.hidden as named,
  case when f.hidden then null when not f.names then c.cause
    when f.place > 0 and f.ranks then f.model else '' end as cause,
  s.served as served, p.propensity as propensity, f.action as action, f.value as value,
  r.models as models, r.ranks as ranks, r.lengths as lengths, r.candidates as candidates
from fact f
left join caused c on c.id = f.id
left join last_shown s on s.id = f.id
left join ranked r on r.id = f.id
left join likely p on p.id = f.id and p.choice = 1
${order}`,
  };
}

/**
 * Write the expression for the end of the time span that contains an event. Events of a span are
 * counted together. A span lies between two steps of `stepMs`. If a horizon includes some of the
 * span at the end of the last pane, one bucket of that horizon contains the whole span. So each
 * horizon loses the span as a whole, and the counts at the end of each step are sums over spans.
 */
function stretchOf(
  ts: string,
  horizonsMs: readonly number[],
  { popularity: { paneMs }, stepMs }: RowSettings,
): string {
  const floor = (text: string, ms: number) => `${text} - (${text}) % ${ms}`;
  const ends = horizonsMs.filter(Number.isFinite).flatMap((ms) => {
    const bucket = bucketMs(ms, paneMs);
    const end = `${ts} - ${ts} % ${bucket} + ${bucket}`;
    const last = `greatest(${end}, ${floor(`s.through - ${ms}`, bucket)})`;
    const areAligned = stepMs % bucket === 0 || bucket % stepMs === 0;
    if (areAligned && ms % stepMs === 0) return [last];
    const gone = floor(`${end} + ${ms + stepMs - 1}`, stepMs);
    return [last, floor(`${gone} - ${ms}`, bucket)];
  });
  return `least(s.through, ${ts} - ${ts} % ${stepMs} + ${stepMs}, ${ends.join(', ')})`;
}

/**
 * Table expression `judged`: the interactions. For each interaction it has whether popularity
 * leaves it out, and in which time span it counts, by the rules of `PopularInteractions`.
 */
function judged(settings: RowSettings): string {
  const { popularity } = settings;
  const { of, randomized, caused, userCap = 0, horizonMs, windowsMs } = popularity;
  const kinds = [of === 'positive' ? 'f.positive' : 'true'];
  if (randomized === 'ignore') {
    kinds.push('not f.at_random');
  }
  const kind = kinds.join(' and ');
  const isCaused = caused === 'ignore' ? 'not f.at_random and f.names and not f.hidden' : 'false';
  const day = Math.max(...windowsMs);
  const turn = `row_number() over (partition by f.user, ${kind} and not (${isCaused}),
      f.ts - f.ts % ${day} order by f.ts, f.id)`;
  return `judged as (
  select f.user, f.item, f.positive, f.at_random,
    ${kind} and (${isCaused} or ${userCap > 0 ? `${turn} > ${userCap}` : 'false'}) as left_out,
    ${stretchOf('f.ts', horizonsOf(popularity), settings)} as until,
    ${stretchOf('f.ts', [horizonMs], settings)} as until_of_users
  from fact f cross join span s
)`;
}

/**
 * Query for the table `popularity`, which has the counts that rows do not contain. It counts lists
 * and the users they reached. For a new service, it also counts interactions by time.
 */
function popularityOf(settings: RowSettings, { text, each, quoted }: Words): Query {
  const { popularity, stated } = settings;
  const none = `cast(null as ${text})`;
  const never = 'cast(null as bigint)';
  const policy = 'e.shown and not e.randomized';
  const columns = (measure: string, model: string, item: string, user: string, until: string) =>
    `select '${measure}' as measure, ${model} as model, ${item} as item, ${user} as user, ${until} as until`;
  const total = (measure: string, n: string, from: string) =>
    `${columns(measure, none, none, none, never)}, cast(${n} as bigint) as n from ${from}`;
  const ofItem = (measure: string, where: string) =>
    `${columns(measure, none, 'j.item', none, 'j.until')}, count(*) as n
  from judged j where ${where} group by j.item, j.until`;
  const ofUser = (measure: string, where: string) =>
    `${columns(measure, none, none, 'j.user', 'j.until_of_users')}, count(*) as n
  from judged j where ${where} group by j.user, j.until_of_users`;
  const until = stretchOf('e.ts', horizonsOf(popularity), settings);
  const heard = (measure: string, n: string) =>
    `${columns(measure, 'x.model', none, none, 'x.until')}, ${n} as n
  from (select e.model, e.ts, ${until} as until from exposure e cross join span s) x
  group by x.model, x.until`;
  const setting = ([name, value]: readonly [string, string]) =>
    `${columns('setting', quoted(name), quoted(value), none, never)}, cast(1 as bigint) as n`;
  const { paneMs } = popularity;
  return {
    more: [
      `span as (
  select max(x.ts) - max(x.ts) % ${paneMs} + ${paneMs} as through
  from (select i.ts from interaction i union all select e.ts from exposure e) x
)`,
      judged(settings),
    ],
    select: [
      `${columns('exposures', 'x.model', 'x.item', none, 'x.until')}, count(*) as n from (
  select e.model, ${each}(e.items) as item, ${until} as until
  from exposure e cross join span s where ${policy}) x group by x.model, x.item, x.until`,
      `${columns('listed', none, 'x.item', none, 'x.until')}, count(*) as n from (
  select ${each}(e.items) as item, ${until} as until
  from exposure e cross join span s where not (${policy})) x group by x.item, x.until`,
      `${columns('reached', none, 'x.item', none, never)}, count(distinct x.user) as n from (
  select e.user, ${each}(e.items) as item from exposure e where ${policy}) x group by x.item`,
      `${columns('lists', 'e.model', none, none, never)}, count(*) as n
  from exposure e group by e.model`,
      total('reached_users', 'count(distinct e.user)', `exposure e where ${policy}`),
      total(
        'random_users',
        'count(distinct x.user)',
        `(
  select f.user from fact f where f.at_random
  union all select e.user from exposure e where e.shown and e.randomized) x`,
      ),
      total(
        'random_items',
        'coalesce(sum(e.length), 0)',
        'exposure e where e.shown and e.randomized',
      ),
      total('first_ts', 'min(e.ts)', 'exposure e'),
      total('last_ts', 'max(e.ts)', 'exposure e'),
      ofItem('interactions', 'true'),
      ofItem('positives', 'j.positive'),
      ofItem('randomized', 'j.at_random'),
      ofItem('randomized_positives', 'j.at_random and j.positive'),
      ofItem('left_out', 'j.left_out'),
      ofUser('user_interactions', 'true'),
      ofUser('user_randomized', 'j.at_random'),
      heard('first_list_ts', 'min(x.ts)'),
      heard('last_list_ts', 'max(x.ts)'),
      total('through_ts', 's.through', 'span s'),
      ...Object.entries(stated).map(setting),
    ].join('\nunion all\n'),
  };
}

/**
 * Query for the table `lists`: served lists and rewards. If a list has several interactions with
 * the same item, only the highest reward counts in total: an interaction with a higher reward than
 * all before adds the difference.
 */
function listsOf(_: RowSettings, { text }: Words): Query {
  return {
    more: [
      `reward as (
  select f.user, f.ts, f.id, f.list, f.item, f.model, f.shown_at, f.drawn, f.worth,
    f.list is not null and f.place > 0 as known,
    case when f.list is not null and f.place > 0 then coalesce(max(f.worth) over (
      partition by f.list, f.item order by f.ts, f.id
      rows between unbounded preceding and 1 preceding), 0) else 0 end as best
  from fact f where f.positive and f.names and (f.list is null or f.shown)
)`,
    ],
    select: `select e.user as user, e.model as model, e.ts as ts, e.randomized as drawn,
  cast(null as double) as reward, e.ts as came, e.length as items
from exposure e where e.shown
union all
select w.user as user, case when w.known then w.model else cast(null as ${text}) end as model,
  case when w.known then w.shown_at else w.ts end as ts, w.known and w.drawn as drawn,
  w.worth - w.best as reward, w.ts as came, 0 as items
from reward w where not w.known or w.worth > w.best`,
  };
}
