import type { MappedKind } from './mapping/mapping.js';
import { FieldCounts, type Guess, guess } from './survey-guess.js';

/** Guessed kinds and fields of the records of a topic. */
export interface Survey {
  readonly counts: FieldCounts;
  /** Guess from all records together. */
  readonly all: Guess;
  /**
   * Field that states the kind of an event in a mixed topic, and the kind that each of its values
   * means.
   */
  readonly kind?: {
    readonly path: string;
    readonly values: Readonly<Record<string, MappedKind | 'ignored'>>;
  };
  /** Guess for each kind, from the records of that kind only. */
  readonly kinds: ReadonlyMap<MappedKind, Guess>;
}

/** Maximum number of distinct values of a field that distinguishes kinds of events. */
const MOST_KINDS = 30;
const LISTS = /list|served|recommend|ranking|slate/i;
const SEEN = /impression|view|seen|shown|exposure|display/i;
const DONE =
  /click|tap|select|buy|bought|purchase|order|cart|play|watch|like|rate|rating|conver|interaction|engage/i;
/**
 * Pattern of paths of lists that a user took, such as an order, rather than lists that were shown.
 */
const BASKET = /lines|basket|cart|order|bought|purchase/i;
/**
 * Pattern of event names about viewed pages. Such events are neither shown lists nor interactions
 * with a list. The pattern is not applied to names of topics.
 */
const PAGE = /page|screen|session|(product|item|detail).?view|view.?(product|item|detail)/i;

/**
 * Guess whether the records of a topic are lists, single impressions or interactions, by their
 * fields and by the names of the topic and of its events.
 *
 * @example
 * const clicks = [{ user_id: 'u', sku: 'a', ts: 1767225600000 }];
 * [...survey('shop.clicks', clicks).kinds.keys()]; // ['interaction']
 */
export function survey(topic: string, records: readonly object[]): Survey {
  const counts = countsOf(records);
  const all = guess(counts);
  const [action] = all.fields.action;
  const values = action === undefined ? [] : [...action.values];
  if (action !== undefined && values.length > 1 && values.length <= MOST_KINDS) {
    const groups = groupsOf(records, action.path);
    const named = [...groups].map(([value, group]) => {
      const own = guess(countsOf(group));
      return {
        value,
        group,
        kind: kindOfEvent(value, own),
      };
    });
    const found = new Set(named.map(({ kind }) => kind));
    // If all values are kinds of interactions, the field holds actions. A value that is not
    // recognised, or is a kind of list, makes it a field of kinds.
    if (found.size > 1 || found.has('exposure') || found.has('impression')) {
      const ofKind = (kind: MappedKind) =>
        named.filter((each) => each.kind === kind).flatMap(({ group }) => group);
      const kinds = KINDS.filter((kind) => found.has(kind)).map(
        (kind) => [kind, guess(countsOf(ofKind(kind)))] as const,
      );
      const stand = named.map(({ value, kind }) => [value, kind ?? 'ignored'] as const);
      const kind = {
        path: action.path,
        values: Object.fromEntries(stand),
      };
      return {
        counts,
        all,
        kind,
        kinds: new Map(kinds),
      };
    }
  }
  const kind = kindOf(topic, all);
  if (kind === undefined) {
    return {
      counts,
      all,
      kinds: new Map(),
    };
  }
  // An impression that says whether it was clicked is an interaction too.
  const isBoth = kind === 'impression' && all.fields.value.length > 0;
  const kinds: readonly MappedKind[] = isBoth ? ['impression', 'interaction'] : [kind];
  return {
    counts,
    all,
    kinds: new Map(kinds.map((each) => [each, all])),
  };
}

const KINDS: readonly MappedKind[] = ['exposure', 'impression', 'interaction'];

/**
 * Guess the kind of the events with this name. If the name is not a word for feedback, they are not
 * interactions.
 */
function kindOfEvent(name: string, own: Guess): MappedKind | undefined {
  const isDone = DONE.test(name);
  if (PAGE.test(name) && !isDone && own.items === undefined) return undefined;
  const kind = kindOf(name, own);
  return kind === 'interaction' && !isDone ? undefined : kind;
}

function kindOf(name: string, { fields, items }: Guess): MappedKind | undefined {
  const isDone = DONE.test(name);
  if (items !== undefined) {
    const isTaken = BASKET.test(items.path) || (isDone && !LISTS.test(name));
    return isTaken ? 'interaction' : 'exposure';
  }
  if (fields.item.length === 0) return undefined;
  if (isDone) return 'interaction';
  const isNamed = (SEEN.test(name) || LISTS.test(name)) && fields.list.length > 0;
  const isPart = isNamed || fields.place.length > 0;
  return isPart ? 'impression' : 'interaction';
}

function countsOf(records: readonly object[]): FieldCounts {
  const counts = new FieldCounts();
  for (const record of records) {
    counts.add(record);
  }
  return counts;
}

function groupsOf(records: readonly object[], path: string): ReadonlyMap<string, object[]> {
  const tokens = path.split('/').slice(1);
  const groups = new Map<string, object[]>();
  for (const record of records) {
    let at: unknown = record;
    for (const token of tokens) {
      const name = token.replaceAll('~1', '/').replaceAll('~0', '~');
      at =
        typeof at === 'object' && at !== null ? (at as Record<string, unknown>)[name] : undefined;
    }
    if (at === undefined || at === null || typeof at === 'object') continue;
    const group = groups.get(String(at)) ?? [];
    groups.set(String(at), group);
    group.push(record);
  }
  return groups;
}
