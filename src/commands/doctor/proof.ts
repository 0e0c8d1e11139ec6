import { parse } from 'yaml';
import { type Config, loadConfig } from '../../config.js';
import { UnskewError } from '../../errors.js';
import type { ExposureEvent, InteractionEvent } from '../../events/encode.js';
import type { SchemaTable } from '../../events/formats/schema.js';
import { LONGEST_LIST_GAPS, OpenLists } from '../../stream/intake/open-lists.js';
import { listOf, readPart } from '../../stream/intake/part.js';
import { Shuffle, type ShuffledRecord } from '../../stream/intake/shuffle.js';
import { shuffleSources } from '../service/service-intake.js';
import type { Arms } from './ab-test.js';
import type { Suggestion } from './suggestion.js';
import type { Sampled } from './topic-report.js';

/** Result of checking a suggested configuration by reading a sample with it. */
export interface Proof {
  readonly lists: number;
  /** Median number of items in a list. */
  readonly length: number;
  /** Number of lists by model. `actions` is the number of interactions by action. */
  readonly models: Counts;
  readonly actions: Counts;
  readonly users: number;
  readonly interactions: number;
  /**
   * Number of interactions with a value of at least 1. Such interactions are positive by default.
   */
  readonly positive: number;
  /** Number of interactions with the id of a list. */
  readonly named: number;
  /** Number of interactions with the id of a list that is in the sample. */
  readonly found: number;
  /** Number of records that gave no event, by outcome. */
  readonly others: Counts;
  /** For each reason of rejection, the detail of the first record rejected for it. */
  readonly refused: ReadonlyMap<string, string>;
  /** Reasons why results with this configuration would be wrong, one line each. */
  readonly wrong: readonly string[];
  /** Arms of an A/B test, if all events were read and look like one. */
  readonly arms?: Arms | undefined;
}

type Counts = ReadonlyMap<string, number>;
/** Fields of a list that the check uses. */
export interface Listed extends Pick<ExposureEvent, 'id' | 'user' | 'model'> {
  /** Whether users saw the list; undefined if unknown. */
  readonly isServed?: boolean;
  readonly items: { readonly length: number };
}

/** Fields of an interaction that the check uses. */
export type Done = Pick<InteractionEvent, 'user' | 'exposure' | 'action' | 'value'>;

/**
 * Results would be wrong if more than this share of the records is rejected. They would also be
 * wrong if less than `FEW_FOUND` of the list ids in interactions are ids of lists in the sample.
 */
const MANY_REFUSED = 0.05;
const FEW_FOUND = 0.2;

/** Check a suggested configuration by reading sampled records with it, as the intake would. */
export function proofOf(
  text: string,
  sampled: readonly Sampled[],
  schemas: SchemaTable | undefined,
): Proof {
  const others = new Map<string, number>();
  const refused = new Map<string, string>();
  const lists: Listed[] = [];
  const interactions: InteractionEvent[] = [];
  const parts: ShuffledRecord[] = [];
  try {
    const config = configOf(text, sampled);
    const sources = shuffleSources(config, schemas);
    const shuffle = new Shuffle(sources);
    for (const { name, sample } of sampled) {
      if (!sources.some(({ topic }) => topic === name)) continue;
      const { records, outcomes, letters } = shuffle.read(name, 0, sample, Date.now);
      lists.push(...records.exposures.map(({ value }) => JSON.parse(value) as Listed));
      interactions.push(
        ...records.interactions.map(({ value }) => JSON.parse(value) as InteractionEvent),
      );
      parts.push(...records.parts);
      for (const [outcome, count] of outcomes) {
        if (outcome !== 'written') {
          others.set(outcome, (others.get(outcome) ?? 0) + count);
        }
      }
      for (const { reason, detail } of letters) {
        if (!refused.has(reason)) {
          refused.set(reason, detail);
        }
      }
    }
    lists.push(...assembled(parts, config));
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    return judged([], [], others, refused, {
      wrong: [error.message],
      isWhole: true,
      areAssembled: false,
    });
  }
  const areAssembled = parts.length > 0;
  return judged(lists, interactions, others, refused, {
    wrong: [],
    isWhole: true,
    areAssembled,
  });
}

/**
 * Load the configuration for the check. If it has no `intake`, its sources are the sampled topics
 * among `kafka.topics`, with canonical events.
 */
function configOf(text: string, sampled: readonly Sampled[]): Config {
  const { intake, registry, time, kafka } = parse(text) as Record<string, Record<string, unknown>>;
  const shared = {
    ...(registry?.['url'] !== undefined && { 'registry.url': registry['url'] }),
    ...(time?.['lateness'] !== undefined && { 'time.lateness': time['lateness'] }),
  };
  const load = (overrides: Readonly<Record<string, unknown>>) =>
    loadConfig({
      file: undefined,
      env: {},
      overrides: {
        ...shared,
        ...overrides,
      },
    });
  if (intake !== undefined) return load({ 'intake.sources': intake['sources'] });
  const topics = kafka?.['topics'] as Record<'exposures' | 'interactions', string> | undefined;
  const names = new Set(sampled.map(({ name }) => name));
  const roles = (['exposures', 'interactions'] as const).flatMap((role) => {
    const topic = topics?.[role];
    return topic !== undefined && names.has(topic)
      ? [
          {
            topic,
            events: role,
          },
        ]
      : [];
  });
  return load({ 'intake.sources': roles });
}

function assembled(records: readonly ShuffledRecord[], { intake }: Config): readonly Listed[] {
  const { gapMs, firstPlace } = intake.lists;
  const open = new OpenLists(gapMs, LONGEST_LIST_GAPS * gapMs);
  for (const [n, { value }] of records.entries()) {
    open.add(readPart(new TextEncoder().encode(value))!, n);
  }
  return open.take(Number.POSITIVE_INFINITY).map(
    ({ parts }) =>
      listOf(
        parts.map(({ part }) => part),
        firstPlace,
      ).event,
  );
}

/** What is known about the sample before its events are judged. */
interface Basis {
  /** Problems found so far. */
  readonly wrong: string[];
  /**
   * Whether all events were read. Then the list of every list id in interactions must be among the
   * lists read.
   */
  readonly isWhole: boolean;
  /** Whether lists were assembled from rows or single impressions. */
  readonly areAssembled: boolean;
}

export function judged(
  all: readonly Listed[],
  interactions: readonly Done[],
  others: Counts,
  refused: Proof['refused'],
  { wrong, isWhole, areAssembled }: Basis = {
    wrong: [],
    isWhole: true,
    areAssembled: false,
  },
): Proof {
  const ids = new Set(all.map(({ id }) => id));
  const lengths = all.map(({ items }) => items.length).sort((a, b) => a - b);
  const length = lengths[lengths.length >> 1] ?? 0;
  const named = interactions.filter(({ exposure }) => exposure !== undefined);
  const found = named.filter(({ exposure = '' }) => ids.has(exposure)).length;
  const faulty = [...refused.keys()].reduce((sum, reason) => sum + (others.get(reason) ?? 0), 0);
  const say = (isWrong: boolean, text: string) => isWrong && wrong.push(text);
  say(ids.size === 0, 'the sample contains no lists, and nothing can be evaluated without them');
  say(interactions.length === 0, 'the sample contains no interactions');
  say(
    faulty > MANY_REFUSED * (all.length + interactions.length + faulty),
    `${faulty} records are invalid: ${reasonsOf(others, refused)}`,
  );
  say(
    isWhole && found < FEW_FOUND * named.length,
    `only ${found} of the ${named.length} list ids in interactions are in the sample, so most clicks could not be attributed to their list`,
  );
  say(
    areAssembled && length === 1,
    'most lists hold only one item; the field that groups the items of a list was not found',
  );
  return {
    lists: ids.size,
    length,
    models: tally(all.map(({ model }) => model)),
    actions: tally(interactions.map(({ action = 'click' }) => action)),
    users: new Set([...all, ...interactions].map(({ user }) => user)).size,
    positive: interactions.filter(({ value = 1 }) => value >= 1).length,
    interactions: interactions.length,
    named: named.length,
    found,
    others,
    refused,
    wrong,
  };
}

function tally(texts: readonly string[]): Counts {
  const counts = new Map<string, number>();
  for (const text of texts) {
    counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

function reasonsOf(others: Counts, refused: Proof['refused']): string {
  return [...refused].map(([why, detail]) => `${why} ${others.get(why)} (${detail})`).join('; ');
}

const SHOWN_VALUES = 8;

/** Format the result of the check as text. */
export function proofText(proof: Proof, suggestions: readonly Suggestion[]): string {
  const { lists, length, users, interactions, positive, named, found, others, refused } = proof;
  const passed = [...others].filter(([outcome]) => !refused.has(outcome));
  const unsure = suggestions.flatMap(({ report, others: places, missing }) =>
    [...missing.map((field) => `no field found for ${field}`), ...places].map((text) => {
      return ['not sure', `${report.name}: ${text}`];
    }),
  );
  const rows = [
    ['lists', `${lists}, of ${length} items (median)`],
    ['models', valuesOf(proof.models)],
    ['users', `${users}`],
    ['feedback', `${interactions}: ${valuesOf(proof.actions)}`],
    ['rewards', `${positive} interactions are positive (events.actions can change this)`],
    [
      'list ids',
      `${share(named, interactions)} of the interactions give a list id; ${found} of these ${named} lists are in the sample`,
    ],
    ['invalid', reasonsOf(others, refused) || 'nothing'],
    ['ignored', valuesOf(new Map(passed)) || 'nothing'],
    ...unsure,
  ] as [string, string][];
  const table = rows.map(([what, text]) => `  ${what.padEnd(11)} ${text}`);
  return ['The sample, read with this configuration:', ...table, ''].join('\n');
}

function share(part: number, whole: number): string {
  return `${Math.round((100 * part) / Math.max(1, whole))} %`;
}

function valuesOf(counts: Counts): string {
  const shown = [...counts].slice(0, SHOWN_VALUES).map(([name, count]) => `${name} (${count})`);
  const more = counts.size - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
