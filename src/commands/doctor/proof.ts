import { parse } from 'yaml';
import { type Config, loadConfig } from '../../config.js';
import { UnskewError } from '../../errors.js';
import type { InteractionEvent } from '../../events/encode.js';
import type { SchemaTable } from '../../events/formats/schema.js';
import { mappingOf } from '../../events/mapping/named-mappings.js';
import { OpenLists } from '../../stream/intake/open-lists.js';
import { listOf, readPart } from '../../stream/intake/part.js';
import { Shuffle, type ShuffledRecord } from '../../stream/intake/shuffle.js';
import type { DeadLetter } from '../../stream/ports.js';
import { LONGEST_LIST_GAPS, shuffleSources } from '../service/service-intake.js';
import type { Suggestion } from './suggestion.js';
import type { Sampled } from './topic-report.js';

/** What comes out of a sample by a configuration. */
export interface Proof {
  readonly lists: number;
  /** Items of a list, the median. */
  readonly length: number;
  /** Lists by model. */
  readonly models: ReadonlyMap<string, number>;
  readonly users: number;
  readonly interactions: number;
  /** Interactions by action. */
  readonly actions: ReadonlyMap<string, number>;
  /** Interactions worth at least 1, as they count without `events.actions`. */
  readonly positive: number;
  /** Interactions that name a list, and those whose list was sampled. */
  readonly named: number;
  readonly found: number;
  /** Records by what became of them, without those that were written. */
  readonly others: ReadonlyMap<string, number>;
  /** By reason, the first that was refused. */
  readonly refused: ReadonlyMap<string, DeadLetter>;
  /** Why its numbers would be wrong, one line each. */
  readonly wrong: readonly string[];
}

interface Listed {
  readonly id: string;
  readonly user: string;
  readonly model: string;
  readonly items: readonly string[];
}

/** Refused records, and lists of one item, that are too many; causes that are too few. */
const MANY_REFUSED = 0.05;
const FEW_FOUND = 0.2;

/** Reads a sample through a configuration as it is written to a file. */
export function proofOf(
  text: string,
  sampled: readonly Sampled[],
  schemas: SchemaTable | undefined,
): Proof {
  let config: Config;
  try {
    config = configOf(text, sampled);
  } catch (error) {
    if (!(error instanceof UnskewError)) throw error;
    return { ...judged(counted([], [], new Map(), new Map())), wrong: [error.message] };
  }
  const shuffle = new Shuffle(shuffleSources(config, schemas));
  const others = new Map<string, number>();
  const refused = new Map<string, DeadLetter>();
  const lists: Listed[] = [];
  const interactions: InteractionEvent[] = [];
  const parts: ShuffledRecord[] = [];
  for (const { name, sample } of sampled) {
    if (!config.intake.sources.some(({ topics }) => topics.includes(name))) continue;
    const found = shuffle.read(name, 0, sample, Date.now);
    for (const { value } of found.records.exposures) lists.push(JSON.parse(value) as Listed);
    for (const { value } of found.records.interactions) {
      interactions.push(JSON.parse(value) as InteractionEvent);
    }
    parts.push(...found.records.parts);
    for (const [outcome, count] of found.outcomes) {
      if (outcome !== 'written') others.set(outcome, (others.get(outcome) ?? 0) + count);
    }
    for (const letter of found.letters) {
      if (!refused.has(letter.reason)) refused.set(letter.reason, letter);
    }
  }
  lists.push(...assembled(parts, config));
  return judged(counted(lists, interactions, others, refused));
}

/** Sources of the intake; of files one for each, that reads by the mapping that they share. */
function configOf(text: string, sampled: readonly Sampled[]): Config {
  const { intake, events, registry, time } = parse(text) as Record<string, Record<string, unknown>>;
  const shared = {
    ...(registry?.['url'] !== undefined && { 'registry.url': registry['url'] }),
    ...(time?.['lateness'] !== undefined && { 'time.lateness': time['lateness'] }),
  };
  const load = (overrides: Readonly<Record<string, unknown>>) =>
    loadConfig({ file: undefined, env: {}, overrides: { ...shared, ...overrides } });
  if (intake !== undefined) return load({ 'intake.sources': intake['sources'] });
  const config = load({ 'events.mapping': events!['mapping'] });
  const mapping = config.events.mapping && mappingOf(config.events.mapping);
  const reading = { events: 'mixed', format: 'json', mapping } as const;
  const sources = sampled.map(({ name }) => ({ topics: [name], ...reading }));
  return { ...config, intake: { ...config.intake, sources } };
}

function assembled(records: readonly ShuffledRecord[], { intake }: Config): Listed[] {
  const { gapMs, firstPlace } = intake.lists;
  const open = new OpenLists(gapMs, LONGEST_LIST_GAPS * gapMs);
  for (const [n, { value }] of records.entries()) {
    open.add(readPart(new TextEncoder().encode(value))!, n);
  }
  const pieces = open.take(Number.POSITIVE_INFINITY);
  return pieces.map(({ parts }) => {
    const whole = parts.map(({ part }) => part);
    return listOf(whole, firstPlace).event;
  });
}

function counted(
  lists: readonly Listed[],
  interactions: readonly InteractionEvent[],
  others: Proof['others'],
  refused: Proof['refused'],
): Omit<Proof, 'wrong'> {
  const ids = new Set(lists.map(({ id }) => id));
  const lengths = lists.map(({ items }) => items.length).sort((a, b) => a - b);
  const users = new Set([...lists, ...interactions].map(({ user }) => user));
  return {
    ...{ lists: ids.size, length: lengths[lengths.length >> 1] ?? 0, users: users.size },
    models: tally(lists.map(({ model }) => model)),
    interactions: interactions.length,
    actions: tally(interactions.map(({ action = 'click' }) => action)),
    positive: interactions.filter(({ value = 1 }) => value >= 1).length,
    named: interactions.filter(({ exposure }) => exposure !== undefined).length,
    found: interactions.filter(({ exposure = '' }) => ids.has(exposure)).length,
    ...{ others, refused },
  };
}

function tally(texts: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  return new Map([...counts].sort(([, a], [, b]) => b - a));
}

function judged(found: Omit<Proof, 'wrong'>): Proof {
  const { lists, length, interactions, named, others, refused } = found;
  const wrong: string[] = [];
  if (lists === 0) wrong.push('no list comes out of the sample: nothing can be evaluated');
  if (interactions === 0) wrong.push('no interaction comes out of the sample');
  const faulty = [...refused.keys()].reduce((sum, reason) => sum + (others.get(reason) ?? 0), 0);
  const all = lists + interactions + faulty;
  if (faulty > MANY_REFUSED * all) {
    const reasons = [...refused].map(([reason, { detail }]) => `${reason} (${detail})`);
    wrong.push(`${faulty} records are refused: ${reasons.join('; ')}`);
  }
  if (named > 0 && found.found < FEW_FOUND * named) {
    wrong.push(
      `of ${named} interactions that name a list, ${found.found} name one of the sample: what lists caused would be missed`,
    );
  }
  if (lists > 0 && length === 1) {
    wrong.push('most lists hold one item: what belongs together is not found');
  }
  return { ...found, wrong };
}

const SHOWN_VALUES = 8;

/** What came out, for people. */
export function proofText(proof: Proof, suggestions: readonly Suggestion[]): string {
  const { lists, length, users, interactions, positive, named, found, others, refused } = proof;
  const share = interactions === 0 ? 0 : Math.round((100 * named) / interactions);
  const reasons = [...refused].map(([reason, { detail }]) => {
    return `${reason} ${others.get(reason)} (${detail})`;
  });
  const passed = [...others].filter(([outcome]) => !refused.has(outcome));
  const unsure = suggestions.flatMap(({ report, others: places, missing }) =>
    [...missing.map((field) => `${field} is not found`), ...places].map(
      (text) => `${report.name}: ${text}`,
    ),
  );
  const rows: [string, string][] = [
    ['lists', lists === 0 ? '0' : `${lists}, of ${length} items (median)`],
    ['models', valuesOf(proof.models)],
    ['users', `${users}`],
    ['feedback', `${interactions}: ${valuesOf(proof.actions)}`],
    ['rewards', `${positive} are positive, unless events.actions says other`],
    ['causes', `${share} % name a list: ${named}, of which ${found} name one of the sample`],
    ['refused', reasons.join('; ') || 'nothing'],
    ['passed over', valuesOf(new Map(passed)) || 'nothing'],
    ...unsure.map((text): [string, string] => ['not sure', text]),
  ];
  const table = rows.map(([what, text]) => `  ${what.padEnd(11)} ${text}`);
  const wrong =
    proof.wrong.length === 0
      ? []
      : ['Its numbers would be wrong:', ...proof.wrong.map((text) => `  - ${text}`)];
  return `${['What comes out of the sample by this configuration:', ...table, ...wrong].join('\n')}\n`;
}

function valuesOf(counts: ReadonlyMap<string, number>): string {
  const shown = [...counts].slice(0, SHOWN_VALUES).map(([name, count]) => `${name} (${count})`);
  const more = counts.size - shown.length;
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
}
