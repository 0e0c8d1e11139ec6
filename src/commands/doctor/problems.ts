import { formatDuration } from '../../config/units.js';
import type { MappedKind } from '../../events/mapping/mapping.js';
import type { Suggestion } from './suggestion.js';
import { roughly } from './text.js';
import { jsonOf, type TopicReport } from './topic-report.js';

/** Current settings with which a sample is compared to find problems. */
export interface Limits {
  readonly latenessMs: number;
  readonly maxFutureMs: number;
  readonly horizonMs: number;
  readonly hasRegistry: boolean;
}

const ENOUGH = 0.05;

/** Describe the problems of sampled topics or files, one line each. */
export function problemsOf(
  reports: readonly TopicReport[],
  suggestions: readonly Suggestion[],
  limits: Limits,
): readonly string[] {
  const found = reports.flatMap((report) => ofTopic(report, limits));
  const areListsNamed = suggestions.some(({ mapping }) => mapping.interaction?.exposure);
  const missing = suggestions.flatMap(({ report, missing: fields }) =>
    fields.map((field) => `${report.name}: ${meaningOf(field, areListsNamed)}`),
  );
  const kinds = new Set(suggestions.flatMap((each) => each.kinds));
  // With a built-in mapping, the events that it reads are shown; kinds need not be guessed.
  if (reports.some(({ ready }) => ready?.is === 'mapping')) return [...found, ...missing];
  const absent = [
    ...(kinds.has('exposure') || kinds.has('impression')
      ? []
      : ['no topic seems to hold lists or impressions, so nothing can be evaluated']),
    ...(kinds.has('interaction') ? [] : ['no topic seems to hold interactions']),
  ];
  return [...found, ...missing, ...absent];
}

function ofTopic(report: TopicReport, limits: Limits): readonly string[] {
  const { name, framing, sample, users, retentionMs, clock } = report;
  const found: string[] = [];
  const say = (text: string) => found.push(`${name}: ${text}`);
  if (sample.length === 0) {
    say('it holds no records');
  }
  const framed = [...framing].flatMap(([key, count]) => (key.startsWith('framed') ? count : []));
  const unknown = framed.reduce((sum, count) => sum + count, 0);
  const named = `the schemas of ${unknown} of ${sample.length} records are`;
  if (unknown > 0 && limits.hasRegistry) {
    say(`${named} not in the registry`);
  } else if (unknown > 0) {
    say(`${named} unknown: pass their registry with --registry`);
  }
  const unreadable = framing.get('unreadable') ?? 0;
  if (unreadable > 0) {
    say(
      `${unreadable} of ${sample.length} records are neither JSON nor framed for a schema registry`,
    );
  }
  const isKnown = report.ready !== undefined || report.survey.kinds.size > 0;
  if (sample.length > 0 && framed.length === 0 && !isKnown) {
    say('no field looks like a field of an event, so it is left out');
  }
  if (users.split > ENOUGH * users.several) {
    const share = Math.round((100 * users.split) / users.several);
    say(
      `${share} % of the users are in several partitions, so numbers would be wrong without unskew intake, which brings each user’s events together`,
    );
  }
  if (retentionMs !== undefined && retentionMs < limits.horizonMs) {
    const [kept, horizon] = [retentionMs, limits.horizonMs].map(formatDuration);
    say(
      `Kafka retains records for ${kept}, but popularity is counted over ${horizon} (popularity.horizon). A service that starts without state has incomplete popularity for that long`,
    );
  }
  if (clock !== undefined && clock.disorderMs > limits.latenessMs) {
    const back = roughly(clock.disorderMs);
    const lateness = formatDuration(limits.latenessMs);
    say(
      `events arrive up to ${back} after newer events of their partition; those beyond time.lateness (${lateness}) are late and count only in popularity`,
    );
  }
  if (clock !== undefined && clock.lagMs < -limits.maxFutureMs) {
    say(
      `event times are ${roughly(-clock.lagMs)} ahead of the times of their records. Check the clock of the producer, or the unit of ts`,
    );
  }
  return found;
}

/** Matches a missing field, such as `exposure: ts`, that every event needs. */
const INDISPENSABLE = /: (ts|user|item|items)$/;
/** Maximum number of fields listed for a file whose events are not recognised. */
const NAMED_FIELDS = 12;

/**
 * Describe two kinds of files, one line each: those in which no events are recognised, and those
 * whose events lack fields.
 */
export function unclearFiles(
  reports: readonly TopicReport[],
  suggestions: readonly Suggestion[],
): readonly string[] {
  return reports.flatMap((report) => {
    const own = suggestions.find((each) => each.report === report);
    if (own?.ready !== undefined) return [];
    const missing = own?.missing.filter((field) => INDISPENSABLE.test(field)) ?? [];
    const isClear = own !== undefined && missing.length === 0;
    const list = isClear || report.sample.length > 1 ? undefined : listInside(report);
    if (list !== undefined) return [`${report.name}: ${list}`];
    if (own === undefined) return [`${report.name}: ${nothingKnown(report)}`];
    return missing.map((field) => `${report.name}: ${unclear(field, report)}`);
  });
}

const BY_HAND = 'write its mapping yourself (docs/events.md, Foreign events)';

function nothingKnown({ sample, framing, survey }: TopicReport): string {
  if (sample.length === 0) return 'it holds no records';
  const unreadable = framing.get('unreadable') ?? 0;
  if (unreadable === sample.length) {
    return 'it is neither lines of JSON nor a table; convert it to one of them';
  }
  const joined = survey.counts.seen.find(
    ({ path, values }) => LISTS.test(path) && [...values].every((value) => value.includes(',')),
  );
  if (joined !== undefined) {
    const [value = ''] = joined.values;
    return `${joined.path} holds ${JSON.stringify(value)}, which may be one item or several. Separate items by bars (a|b), or write a mapping with items: { path: ${joined.path}, split: ',' }`;
  }
  const paths = survey.counts.seen.map(({ path, each = '' }) => path + each);
  const named = paths.slice(0, NAMED_FIELDS).join(', ');
  return `no record in it looks like a list or an interaction (fields: ${named}). Leave it out, or ${BY_HAND}`;
}

const LISTS = /items|products|recommendations|results$/i;

/**
 * Describe where the events are in a file that is a single JSON object with a list of events
 * inside.
 */
function listInside({ sample: [record] }: TopicReport): string | undefined {
  const found = longestList(jsonOf(record?.value ?? new Uint8Array(0)), '');
  if (found === undefined) return undefined;
  return `it is one object that contains ${found.length} others; extract them (jq -c '${found.path}[]')`;
}

interface Inside {
  readonly path: string;
  readonly length: number;
}

/** Find the longest list of objects inside an object, with its path for jq. */
function longestList(value: unknown, path: string): Inside | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) {
    const areObjects = value.length > 1 && value.every((each) => typeof each === 'object');
    return areObjects
      ? {
          path,
          length: value.length,
        }
      : undefined;
  }
  const found = Object.entries(value).flatMap(([name, each]) => {
    return longestList(each, `${path}.${/^\w+$/.test(name) ? name : JSON.stringify(name)}`) ?? [];
  });
  return found.sort((a, b) => b.length - a.length)[0];
}

function unclear(field: string, { survey }: TopicReport): string {
  const [kind, name] = field.split(': ') as [MappedKind, string];
  const unread = survey.kinds.get(kind)?.unreadTime;
  if (name === 'ts' && unread !== undefined) {
    const [value = ''] = unread.values;
    return `${unread.path} holds ${JSON.stringify(value)}, which is not clearly a time. Write ISO 8601, or a mapping with tsUnit (docs/events.md, Foreign events)`;
  }
  return `no field looks like the ${name} of its ${kind}s: ${BY_HAND}`;
}

/**
 * Explain what a missing field means for the results.
 *
 * @param areListsNamed whether interactions of some topic have ids of lists
 */
function meaningOf(field: string, areListsNamed: boolean): string {
  if (field.endsWith(': model')) {
    return 'lists have no model, so their model is called "unknown". Map the model to a header, the topic or an experiment';
  }
  if (field === 'interaction: exposure' && areListsNamed) {
    return 'some interactions give no list id, although others do. Interactions without one give no list a reward, and count as organic half an hour after an interaction with one. Send the list id with all interactions that a list led to';
  }
  if (field === 'interaction: exposure') {
    return 'interactions do not give the id of the list that led to them, so the newest list of each model is used';
  }
  return `no field looks like ${field.replace(': ', '’s ')}: add its field to the mapping`;
}
