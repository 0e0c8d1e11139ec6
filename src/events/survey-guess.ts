import type { TsUnit } from './mapping/field-source.js';
import { instantOf, WRITTEN_DATE } from './timestamp.js';

type Kind = 'text' | 'integer' | 'number' | 'boolean' | 'list' | 'object';

/** Observations of one field in the records of a topic. */
export interface SeenField {
  /** JSON Pointer of the field, or of the list of objects that contains it. */
  readonly path: string;
  /** For a field in a list of objects: JSON Pointer of the field in each object. */
  readonly each?: string;
  /** Number of records with the field. */
  readonly present: number;
  /**
   * Kinds of the field's values. Rare kinds are left out, since they may be of records that are not
   * events.
   */
  readonly kinds: ReadonlySet<Kind>;
  /** Distinct values as text, up to a maximum number. */
  readonly values: ReadonlySet<string>;
}

interface Growing {
  present: number;
  readonly kinds: Map<Kind, number>;
  readonly values: Set<string>;
}

/** Maximum number of distinct values kept for a field. */
const MOST_VALUES = 5000;
/** Length to which values are cut, characters. */
const LONGEST = 200;
/** Maximum nesting depth of fields. */
const DEEPEST = 6;
/** Maximum number of fields. */
const MOST_PLACES = 500;
/**
 * Largest share of a field's values that is ignored, since the values may be of records that are
 * not events.
 */
const FEW = 0.05;
/** Number of entries examined in each list. */
const MOST_ENTRIES = 5;
/** Separates the path of a list from the path inside its entries. */
const EACH = '\u0000';

/**
 * Counts the fields in the records of one topic, and collects their values. Numbers, lengths and
 * depths are limited, since a record may contain anything.
 *
 * @example
 * const fields = new FieldCounts();
 * fields.add({ user: { id: 'u1' }, list: [{ sku: 'a' }] });
 * fields.seen.map(({ path, each }) => path + (each ?? '')); // ['/user', '/user/id', '/list', '/list/sku']
 */
export class FieldCounts {
  records = 0;
  readonly #places = new Map<string, Growing>();

  add(record: object): void {
    this.records++;
    const found = new Map<string, Set<string>>();
    this.#walk(record, '', 0, found);
    for (const path of found.keys()) {
      this.#places.get(path)!.present++;
    }
  }

  get seen(): readonly SeenField[] {
    return [...this.#places].map(([place, { present, kinds, values }]) => {
      const [path, each] = place.split(EACH) as [string, string | undefined];
      const all = [...kinds.values()].reduce((sum, count) => sum + count, 0);
      const often = [...kinds].flatMap(([kind, count]) => (count > FEW * all ? kind : []));
      const shared = {
        present,
        kinds: new Set(often),
        values,
      };
      return each === undefined
        ? {
            path,
            ...shared,
          }
        : {
            path,
            each,
            ...shared,
          };
    });
  }

  #walk(value: unknown, path: string, depth: number, found: Map<string, Set<string>>): void {
    if (value === null || value === undefined) return;
    if (path !== '') {
      this.#note(value, path, found);
    }
    if (depth === DEEPEST || typeof value !== 'object') return;
    if (Array.isArray(value)) {
      if (path.includes(EACH)) return;
      for (const entry of value.slice(0, MOST_ENTRIES)) {
        if (typeof entry === 'object') {
          this.#walk(entry, path + EACH, depth + 1, found);
        } else {
          this.#values(entry, path);
        }
      }
      return;
    }
    for (const [name, inside] of Object.entries(value)) {
      const token = name.replaceAll('~', '~0').replaceAll('/', '~1');
      this.#walk(inside, `${path}/${token}`, depth + 1, found);
    }
  }

  #note(value: unknown, path: string, found: Map<string, Set<string>>): void {
    // An entry of a list has no name of its own.
    if (path.endsWith(EACH)) return;
    let place = this.#places.get(path);
    if (place === undefined) {
      if (this.#places.size === MOST_PLACES) return;
      place = {
        present: 0,
        kinds: new Map(),
        values: new Set(),
      };
      this.#places.set(path, place);
    }
    found.set(path, place.values);
    const kind = kindOf(value);
    place.kinds.set(kind, (place.kinds.get(kind) ?? 0) + 1);
    if (typeof value !== 'object') {
      this.#values(value, path);
    }
  }

  #values(value: unknown, path: string): void {
    const values = this.#places.get(path)?.values;
    const text = String(value);
    if (values !== undefined && values.size < MOST_VALUES) {
      values.add(text.slice(0, LONGEST));
    }
  }
}

function kindOf(value: unknown): Kind {
  if (Array.isArray(value)) return 'list';
  // An integer id may have more digits than a number can hold exactly.
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'integer';
  if (typeof value === 'string') return 'text';
  if (typeof value === 'number') return 'number';
  return typeof value === 'boolean' ? 'boolean' : 'object';
}

/** Roles of fields that are guessed by their names and values. */
export type Guessed =
  | 'user'
  | 'item'
  | 'time'
  | 'model'
  | 'place'
  | 'list'
  | 'surface'
  | 'id'
  | 'action'
  | 'value'
  | 'exposure';

/** Guessed meaning of the fields of records. */
export interface Guess {
  /** Possible fields for each role, the likeliest first. */
  readonly fields: Readonly<Record<Guessed, readonly SeenField[]>>;
  /**
   * Field with the items of a list. If the list has objects, `each` points to the item in an
   * object.
   */
  readonly items: SeenField | undefined;
  /**
   * Fields in the entries of `items` that may have the id of the list to which an interaction is
   * attributed.
   */
  readonly causes: readonly SeenField[];
  /** List with the experiments of a record, and the variant of each experiment. */
  readonly experiments: SeenExperiments | undefined;
  readonly records: number;
  readonly tsUnit: TsUnit;
  /** Field with the name of a time, whose values cannot be read as times. */
  readonly unreadTime: SeenField | undefined;
}

/** A list in records; each entry has an experiment and its variant. */
export interface SeenExperiments {
  readonly path: string;
  /** JSON Pointer of the experiment's name in each entry. */
  readonly name: string;
  /** JSON Pointer of the variant in each entry. */
  readonly variant: string;
  /** Names of the experiments, first those that suggest a model or ranking. */
  readonly names: readonly string[];
}

/**
 * Patterns for each role that the last part of a field's path is compared with. The surest pattern
 * comes first.
 */
const NAMES: Readonly<Record<Guessed, RegExp[]>> = {
  user: [
    /^(user|customer|member|visitor|account|profile|shopper|viewer)_?id$/i,
    /^(user|uid|who|customer|member|visitor|distinct_id|account)$/i,
    /^(anonymous|device|client|cookie)_?id$/i,
  ],
  item: [
    /^(item|product|sku|content|article|video|track|offer|listing|asin)_?(id|code)?$/i,
    /^(movie|book|song|doc|document|entity|object|target)_?id$/i,
  ],
  time: [
    /^(event_?)?(ts|time|timestamp|at|millis|epoch)(_?ms)?$/i,
    /^(created|occurred|sent|event|client|logged)_?(at|on|time|ts|timestamp)$/i,
    /(time|timestamp|_at|_ts|At)$/,
  ],
  model: [
    /^(model|ranker|algorithm|algo|recommender|strategy|policy)(_?(id|name|version))?$/i,
    /^(variant|arm|treatment|experiment_variant)$/i,
    /(^|_)(model|ranker|algo|algorithm|recommender)(_|$)/i,
  ],
  place: [/^(position|pos|rank|place|index|slot_?index)$/i],
  list: [
    /^(request|req|rid|impression_?list|list|recommendation|serve|query|response)_?(id)?$/i,
    /_(request|list|recommendation|serve|response)_?id$/i,
    /^(trace|correlation|page_?view)_?id$/i,
  ],
  surface: [/^(surface|slot|widget|placement|shelf|rail|carousel|module)(_?(id|name))?$/i],
  id: [/^(event_?id|message_?id|uuid|id|insert_?id)$/i],
  action: [/^(action|event_?type|event_?name|event|type|kind|e)$/i],
  value: [
    /^(rating|stars|score_given)$/i,
    /^(is_?)?(click|clicked|converted|purchased|liked?|label|reward)$/i,
  ],
  exposure: [
    /^(exposure|recommendation|request|rid|impression|list|serve)(_?id)?$/i,
    /_(exposure|recommendation|request|impression|list|serve|response)_?id$/i,
  ],
};
/** Pattern of the name of a field with experiments and their variants. */
const EXPERIMENTS = /^(experiments?|variants?|ab_?tests?|treatments?|arms?|assignments?)$/i;
const EXPERIMENT = /^(name|id|key|experiment|flag|test)(_?(id|name|key))?$/i;
const VARIANT = /^(variant|variation|arm|group|treatment|bucket|value)(_?(id|name|key))?$/i;
const RANKING = /rank|reco|model|algo|policy|feed/i;

/** Share of records that must have a field, for a role that every event has. */
const ALWAYS = 0.5;
/** Share of records that must have a field, for a role that only some events have. */
const SOMETIMES = 0.02;
const OPTIONAL: ReadonlySet<Guessed> = new Set(['exposure', 'list', 'surface', 'user', 'value']);
const MILLIS_OF_2000 = 946_684_800_000;
const MILLIS_OF_2100 = 4_102_444_800_000;

/** Guess the roles of fields, by their names and by what their values can be. */
export function guess(counts: FieldCounts): Guess {
  const plain = counts.seen.filter(({ each }) => each === undefined);
  const of = (role: Guessed) =>
    plain
      .filter((field) => canBe(role, field) && field.present > least(role) * counts.records)
      .map((field) => ({
        field,
        rank: rankOf(role, field),
      }))
      .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
      .sort((a, b) => a.rank - b.rank || b.field.present - a.field.present)
      .map(({ field }) => field);
  const roles = Object.keys(NAMES) as Guessed[];
  const found: Readonly<Record<string, readonly SeenField[]>> = Object.fromEntries(
    roles.map((role) => [role, of(role)]),
  );
  const fields = { ...found } as Record<Guessed, readonly SeenField[]>;
  const items = itemsOf(counts);
  fields.time = besideEvent(fields.time, [fields.user[0], fields.item[0] ?? items]);
  const [time] = fields.time;
  const causes = counts.seen.filter(({ path, each }) => {
    const name = each?.split('/').at(-1) ?? '';
    return items?.path === path && NAMES.exposure.some((pattern) => pattern.test(name));
  });
  const tsUnit = time === undefined ? 'ms' : unitOf(time);
  const experiments = experimentsOf(counts);
  const unreadTime = plain.find(
    (field) =>
      rankOf('time', field) < Number.POSITIVE_INFINITY &&
      !canBe('time', field) &&
      field.present > ALWAYS * counts.records,
  );
  return {
    fields,
    items,
    causes,
    experiments,
    records: counts.records,
    tsUnit,
    unreadTime,
  };
}

/**
 * Sort the candidates for the event's time: those in the same object as user and item come first. A
 * time outside that object may be the time of transport.
 */
function besideEvent(
  times: readonly SeenField[],
  event: readonly (SeenField | undefined)[],
): readonly SeenField[] {
  const parentOf = (field: SeenField | undefined) => field?.path.replace(/\/[^/]*$/, '');
  const [parent, ...others] = new Set(event.map(parentOf));
  if (others.length > 0) return times;
  const isBeside = (field: SeenField) => parentOf(field) === parent;
  return [...times.filter(isBeside), ...times.filter((field) => !isBeside(field))];
}

function experimentsOf({ seen, records }: FieldCounts): SeenExperiments | undefined {
  const last = (path = '') => path.split('/').at(-1) ?? '';
  const inside = seen.filter(
    ({ path, each, present }) =>
      each !== undefined && EXPERIMENTS.test(last(path)) && present > SOMETIMES * records,
  );
  const variant = inside.find(({ each }) => VARIANT.test(last(each)));
  const name = inside.find(
    ({ path, each }) =>
      path === variant?.path && each !== variant.each && EXPERIMENT.test(last(each)),
  );
  if (variant?.each === undefined || name?.each === undefined) return undefined;
  const names = [...name.values].sort((a, b) => Number(RANKING.test(b)) - Number(RANKING.test(a)));
  return {
    path: variant.path,
    name: name.each,
    variant: variant.each,
    names,
  };
}

function least(role: Guessed): number {
  return OPTIONAL.has(role) ? SOMETIMES : ALWAYS;
}

/**
 * Rank of a field for a role: lower for a surer name and for a field that is less nested; Infinity
 * if the name does not fit.
 */
function rankOf(role: Guessed, { path }: SeenField): number {
  const tokens = path.split('/').slice(1);
  const name = tokens.at(-1) ?? '';
  const parent = tokens.at(-2) ?? '';
  // `/user/id` counts as `user_id`.
  const joined = name === 'id' ? `${parent}_id` : name;
  if (role === 'model' && EXPERIMENTS.test(parent)) return RANKING.test(name) ? 5 : 15;
  const at = NAMES[role].findIndex((pattern) => pattern.test(joined) || pattern.test(name));
  if (at < 0) return Number.POSITIVE_INFINITY;
  const isOwn = NAMES[role][at]!.test(joined);
  return at * 10 + tokens.length + (isOwn ? 0 : 5);
}

function canBe(role: Guessed, { kinds, values }: SeenField): boolean {
  if (kinds.has('list') || kinds.has('object') || kinds.has('boolean')) return false;
  if (role === 'time') {
    return areTimes(values);
  }
  if (role === 'place' || role === 'value') return !kinds.has('text');
  if (role === 'action' || role === 'model' || role === 'surface') return !kinds.has('number');
  return !kinds.has('number');
}

function isTime(text: string): boolean {
  return unitOfText(text) !== undefined;
}

const NUMERAL = /^-?\d+(\.\d+)?$/;

function unitOfText(text: string): TsUnit | undefined {
  if (NUMERAL.test(text)) return unitOfNumber(Number(text));
  if (Number.isFinite(instantOf(text).ms)) return 'iso';
  const [, first, second, , , , , half] = WRITTEN_DATE.exec(text) ?? [];
  if (half !== undefined) return 'mdy';
  if (Number(first) > 12) return 'dmy';
  return Number(second) > 12 ? 'mdy' : undefined;
}

function unitOfNumber(value: number): TsUnit | undefined {
  const scales: readonly (readonly [TsUnit, number])[] = [
    ['s', 1000],
    ['ms', 1],
    ['us', 1 / 1000],
    ['ns', 1e-6],
  ];
  return scales.find(([, perMs]) => {
    const ms = value * perMs;
    return ms >= MILLIS_OF_2000 && ms <= MILLIS_OF_2100;
  })?.[0];
}

function unitOf({ values }: SeenField): TsUnit {
  for (const text of values) {
    const unit = unitOfText(text);
    if (unit !== undefined) return unit;
  }
  return 'ms';
}

/**
 * Whether almost all values are times. A written date such as 03/04/2026 counts if other values
 * show whether the day or the month comes first.
 */
function areTimes(values: ReadonlySet<string>): boolean {
  const all = [...values];
  const units = new Set(all.map(unitOfText).filter((unit) => unit !== undefined));
  const isWritten = units.has('dmy') !== units.has('mdy');
  const times = all.filter((text) => isTime(text) || (isWritten && WRITTEN_DATE.test(text)));
  return units.size > 0 && times.length >= (1 - FEW) * all.length;
}

const LIST_OF_ITEMS =
  /^(items|products|results|recommendations|recs|hits|articles|videos|offers)$/i;

/**
 * Rank of a field in the entries of a list for the role of item, like `rankOf`. The field `id` also
 * counts if the list's name is a word for items, such as `products`.
 */
function rankInList({ path, each = '', ...field }: SeenField): number {
  const rank = rankOf('item', {
    ...field,
    path: each,
  });
  const isOfItems = each === '/id' && LIST_OF_ITEMS.test(path.split('/').at(-1) ?? '');
  return isOfItems ? Math.min(rank, LAST_RANK) : rank;
}

const LAST_RANK = 100;

/**
 * The list that most likely has the items: its entries are texts, numbers, or objects with an item.
 */
function itemsOf(counts: FieldCounts): SeenField | undefined {
  const often = (field: SeenField) => field.present > ALWAYS * counts.records;
  const inside = counts.seen
    .filter((field) => field.each !== undefined && often(field))
    .map((field) => ({
      field,
      rank: rankInList(field),
    }))
    .filter(({ rank }) => rank < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.rank - b.rank);
  if (inside[0] !== undefined) return inside[0].field;
  const lists = counts.seen.filter(
    (field) => field.kinds.has('list') && field.values.size > 0 && often(field),
  );
  const named = lists.find(({ path }) => /items|products|list|results|recs|recommend/i.test(path));
  return named ?? (lists.length === 1 ? lists[0] : undefined);
}
