import { basename } from 'node:path';
import { stringify } from 'yaml';
import { stemOf } from '../../adapters/files/file-form.js';
import { formatDuration } from '../../config/units.js';
import type { FieldSource, LineSource, ListSource } from '../../events/mapping/field-source.js';
import type { MappedKind, Mapping } from '../../events/mapping/mapping.js';
import type { Guess, Guessed, SeenExperiments, SeenField } from '../../events/survey-guess.js';
import type { Ready } from './ready-mapping.js';
import type { TopicReport } from './topic-report.js';

export interface FileOptions {
  readonly isOfFiles: boolean;
  readonly brokers: readonly string[];
  readonly registryUrl: string | undefined;
  readonly latenessMs: number;
}

const SECOND_MS = 1000;
const ROLE = {
  exposure: 'exposures',
  impression: 'exposures',
  interaction: 'interactions',
} as const;

/** Write the suggested configuration as YAML, with its uncertainties in comments at the top. */
export function suggestedFile(
  suggestions: readonly Suggestion[],
  problems: readonly string[],
  options: FileOptions,
): string {
  const notes = [
    'Written by unskew doctor from a sample. The names are guesses, so check each mapping.',
    ...problems,
    ...suggestions.flatMap(({ report, others }) =>
      others.map((other) => `${report.name}: ${other}`),
    ),
  ];
  const head = notes.map((note) => `# ${note}\n`).join('');
  const body = options.isOfFiles ? ofFiles(suggestions) : ofTopics(suggestions, options);
  return (
    head +
    stringify(
      {
        ...body,
        ...timeOf(suggestions, options),
      },
      { lineWidth: 0 },
    )
  );
}

function ofTopics(
  suggestions: readonly Suggestion[],
  { brokers, registryUrl }: FileOptions,
): object {
  const own = {
    exposures: 'unskew.exposures',
    interactions: 'unskew.interactions',
  };
  const canonical = suggestions.flatMap(({ report: { name }, ready }) => {
    return ready?.is === 'canonical' && ready.role !== 'mixed' ? [[ready.role, name] as const] : [];
  });
  const areOurs = canonical.length === suggestions.length;
  const topics = areOurs
    ? {
        ...own,
        ...Object.fromEntries(canonical),
      }
    : own;
  const kafka = {
    brokers: [...brokers],
    topics,
  };
  const registry = registryUrl === undefined ? {} : { registry: { url: registryUrl } };
  // Topics that the intake writes are not its sources.
  const read = suggestions.filter(({ report: { name } }) => !Object.values(own).includes(name));
  if (areOurs) {
    return {
      kafka,
      ...registry,
    };
  }
  const sources = read.map(({ report, kinds, mapping, ready }) => {
    if (ready?.is === 'mapping') {
      return {
        topic: report.name,
        mapping: ready.name,
      };
    }
    if (ready?.is === 'canonical') {
      return {
        topic: report.name,
        events: ready.role,
      };
    }
    const roles = new Set(kinds.map((kind) => ROLE[kind]));
    const [only] = roles;
    return {
      topic: report.name,
      ...(roles.size === 1 && mapping.kind === undefined ? { events: only } : {}),
      ...(report.format === 'json' ? {} : { format: report.format }),
      mapping,
    };
  });
  return {
    kafka,
    ...registry,
    intake: { sources },
  };
}

/** Sections that map event files: one mapping if all files share it, otherwise one per file. */
function ofFiles(suggestions: readonly Suggestion[]): object {
  const given = suggestions.flatMap(({ report, ready, mapping }) => {
    if (ready?.is === 'canonical') return [];
    return [[patternOf(report.name), ready?.name ?? mapping] as const];
  });
  if (given.length === 0) return {};
  const [[, first]] = given as [readonly [string, unknown]];
  const areSame = given.every(([, each]) => JSON.stringify(each) === JSON.stringify(first));
  const ttl = suggestions.some(hasListsWithoutTime) ? { attribution: { ttl: '3650d' } } : {};
  return areSame && given.length === suggestions.length
    ? {
        events: { mapping: first },
        ...ttl,
      }
    : {
        events: { files: Object.fromEntries(given) },
        ...ttl,
      };
}

/**
 * Key in `events.files` for a file or for a group of files. A file's key is its name, and a group's
 * key is its pattern.
 */
function patternOf(name: string): string {
  return name.includes('*') ? name : basename(name);
}

function hasListsWithoutTime({ mapping: { exposure, impression } }: Suggestion): boolean {
  return [exposure?.ts, impression?.ts].some((ts) => typeof ts === 'object' && 'constant' in ts);
}

function timeOf(suggestions: readonly Suggestion[], { latenessMs }: FileOptions): object {
  const disorder = Math.max(0, ...suggestions.map(({ report }) => report.clock?.disorderMs ?? 0));
  if (disorder <= latenessMs) return {};
  const seconds = Math.ceil((disorder * 1.2) / SECOND_MS);
  return { time: { lateness: formatDuration(seconds * SECOND_MS) } };
}

/** Suggestion of how to read one topic or file, with its uncertainties. */
export interface Suggestion {
  readonly report: TopicReport;
  readonly kinds: readonly MappedKind[];
  /**
   * Way to read the topic or file without a written mapping. If there is one, `mapping` is not
   * used.
   */
  readonly ready?: Ready | undefined;
  readonly mapping: Mapping;
  /** Fields for which no source was found, as `exposure: model`. */
  readonly missing: readonly string[];
  /** Notes about uncertain choices, such as other possible sources of a field. */
  readonly others: readonly string[];
}

const KIND_FIELDS: Readonly<Record<MappedKind, readonly Guessed[]>> = {
  exposure: ['id', 'time', 'user', 'model'],
  impression: ['id', 'time', 'user', 'item', 'model', 'list', 'surface', 'place'],
  interaction: ['id', 'time', 'user', 'item', 'action', 'value'],
};
const REQUIRED: ReadonlySet<Guessed> = new Set(['time', 'user', 'item', 'model']);
const UNKNOWN_MODEL = { constant: 'unknown' };

/**
 * Suggest mappings of topics from the apparent kinds of their records.
 *
 * @returns nothing for a topic without apparent events
 */
export function suggestionsOf(
  reports: readonly TopicReport[],
  isOfFiles = false,
): readonly Suggestion[] {
  const named = listNames(reports);
  const surfaces = surfacesOf(reports, named);
  return reports.flatMap((report): Suggestion[] => {
    const { kind, kinds, all } = report.survey;
    const { ready } = report;
    if (ready !== undefined) {
      const found = [...kinds.keys()];
      return [
        {
          report,
          kinds: found,
          ready,
          mapping: {},
          missing: [],
          others: [],
        },
      ];
    }
    if (kinds.size === 0) return [];
    const missing: string[] = [];
    const others: string[] = [];
    const mapped = [...kinds].map(([name, guess]) => {
      const fields = fieldsOf(name, guess, missing, others);
      if (name !== 'interaction' && fields['ts'] === undefined) {
        withoutTime(fields, name, reports, missing, others);
      }
      if (fields['model'] === UNKNOWN_MODEL && isOfFiles) {
        fields['model'] = { constant: stemOf(basename(report.name)) };
      }
      if (name === 'interaction') {
        const exposure = exposureOf(guess, named, surfaces);
        if (exposure === undefined) {
          missing.push('interaction: exposure');
        } else {
          fields['exposure'] = exposure;
        }
      }
      if (name === 'exposure') {
        const id = [...guess.fields.id, ...guess.fields.list].find(
          (field) => isUnique(field) && overlaps(field, namesOfCauses(reports)),
        );
        if (id !== undefined) {
          fields['id'] = id.path;
        }
      }
      if (name === 'impression' && surfaces.are === 'left out' && 'surface' in fields) {
        others.push(
          `the field ${String(fields['surface'])} is not mapped to surface, because no request has lists of several surfaces`,
        );
        delete fields['surface'];
      }
      return [name, fields] as const;
    });
    const isNobodys = [...kinds.values()].some(isNobodysAtTimes);
    const passedOver = Object.entries(kind?.values ?? {}).flatMap(([value, is]) =>
      is === 'ignored' ? [value] : [],
    );
    if (passedOver.length > 0) {
      others.push(
        `these kinds are ignored, because their names do not look like feedback: ${passedOver.join(', ')}`,
      );
    }
    const mapping = {
      ...(isNobodys && { anonymous: 'ignored' }),
      ...(kind && {
        kind: {
          path: kind.path,
          values: kind.values,
          others: 'ignored',
        },
      }),
      ...(all.tsUnit !== 'ms' && { tsUnit: all.tsUnit }),
      ...Object.fromEntries(mapped),
    } as unknown as Mapping;
    return [
      {
        report,
        kinds: [...kinds.keys()],
        mapping,
        missing,
        others,
      },
    ];
  });
}

function fieldsOf(
  kind: MappedKind,
  guess: Guess,
  missing: string[],
  others: string[],
): Record<string, FieldSource | LineSource | ListSource> {
  const fields: Record<string, FieldSource | LineSource | ListSource> = {};
  for (const role of KIND_FIELDS[kind]) {
    const [first, ...rest] = guess.fields[role];
    const name = role === 'time' ? 'ts' : role;
    if (first === undefined && role === 'item' && guess.items !== undefined) {
      fields['item'] = {
        path: guess.items.path,
        each: guess.items.each ?? '',
      };
      continue;
    }
    if (first === undefined) {
      if (role === 'model' && guess.experiments !== undefined) {
        fields['model'] = variantOf(guess.experiments, others);
        continue;
      }
      if (REQUIRED.has(role)) {
        missing.push(`${kind}: ${name}`);
      }
      if (role === 'model') {
        fields['model'] = UNKNOWN_MODEL;
      }
      if (role === 'action' && guess.fields.item.length === 0 && guess.items !== undefined) {
        fields['action'] = { constant: 'purchase' };
        others.push('no field gives the action, so the items of a basket count as purchases');
      }
      continue;
    }
    if (role === 'id' && !isUnique(first)) continue;
    fields[name] = first.path;
    if (role === 'user' && isNobodysAtTimes(guess)) {
      const events = eventsOf(guess);
      const share = Math.ceil((100 * (events - first.present)) / events);
      const [other] = rest;
      others.push(
        `${share} % of the events have no ${first.path}: ${other ? `${other.path} holds their user` : 'they count as anonymous, and no number uses them'}`,
      );
      if (other !== undefined) {
        fields['user'] = [first.path, other.path];
      }
      continue;
    }
    if (rest.length > 0) {
      others.push(`${name} is mapped to ${first.path}; it could also be ${paths(rest)}`);
    }
  }
  if (kind === 'exposure') {
    const { items } = guess;
    if (items === undefined) {
      missing.push('exposure: items');
    } else {
      fields['items'] = items.each
        ? {
            path: items.path,
            each: items.each,
          }
        : items.path;
    }
    const [list] = guess.fields.list;
    if (fields['id'] === undefined && list !== undefined) {
      fields['id'] = list.path;
    }
  }
  return fields;
}

/**
 * Complete the mapping of lists that have no time: libraries write recommendations before they are
 * served. Such lists count as older than all sampled interactions, and as not shown.
 */
function withoutTime(
  fields: Record<string, unknown>,
  kind: MappedKind,
  reports: readonly TopicReport[],
  missing: string[],
  others: string[],
): void {
  const times = reports.flatMap(({ earliest, survey }) =>
    survey.kinds.has('interaction') && earliest !== undefined ? [earliest] : [],
  );
  if (times.length === 0) return;
  const before = Math.min(...times) - MARGIN_MS;
  fields['ts'] = { constant: new Date(before).toISOString() };
  fields['shown'] = { constant: false };
  missing.splice(missing.indexOf(`${kind}: ts`), 1);
  others.push(
    'lists have no time, so they count as older than all interactions and as never served',
  );
}

/** Lists without a time are dated this long before the first sampled interaction, ms. */
const MARGIN_MS = 30 * 86_400_000;

/** Take the variant of an experiment as the model. Of several experiments, the first one counts. */
function variantOf(
  { path, name, variant, names: [first = '', ...rest] }: SeenExperiments,
  others: string[],
): FieldSource {
  if (rest.length > 0) {
    const named = rest.slice(0, 3).join(', ');
    others.push(`model: the variant of the experiment ${first}, or of ${named}`);
  }
  return {
    path,
    where: { [name]: first },
    at: variant,
    default: UNKNOWN_MODEL.constant,
  };
}

/** Number of records that are events: those with a time, or all if no field is a time. */
function eventsOf({ fields, records }: Guess): number {
  return fields.time[0]?.present ?? records;
}

function isNobodysAtTimes(guess: Guess): boolean {
  const [user] = guess.fields.user;
  return user !== undefined && user.present < eventsOf(guess);
}

/**
 * Whether a field identifies events: at least 99 % of its values differ. A field with more than
 * 5,000 values needs 99 % of 5,000 different ones.
 */
function isUnique({ values, present }: SeenField): boolean {
  return values.size >= 0.99 * Math.min(present, 5000);
}

/** Collect the ids of sampled lists from all topics. */
function listNames(reports: readonly TopicReport[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { survey } of reports) {
    for (const [kind, { fields }] of survey.kinds) {
      if (kind === 'interaction') continue;
      // A value that many lists share names their model or surface, not a list.
      const ids =
        kind === 'exposure' ? [...fields.id, ...fields.list].filter(isUnique) : fields.list;
      for (const { values } of ids) {
        for (const value of values) {
          names.add(value);
        }
      }
    }
  }
  return names;
}

/** Collect the values of all fields of interactions that may contain list ids. */
function namesOfCauses(reports: readonly TopicReport[]): ReadonlySet<string> {
  const guesses = reports.flatMap(({ survey }) => survey.kinds.get('interaction') ?? []);
  const fields = guesses.flatMap(({ fields: { exposure, list }, causes }) => {
    return [...exposure, ...list, ...causes];
  });
  return new Set(fields.flatMap(({ values }) => [...values]));
}

function overlaps({ values }: SeenField, others: ReadonlySet<string>): boolean {
  return [...values].some((value) => others.has(value));
}

/**
 * How a mapping uses the surfaces of impressions. If it uses them, a list's id contains the
 * surface.
 */
interface Surfaces {
  readonly are: 'none' | 'named by interactions' | 'left out' | 'not named';
  readonly values: ReadonlySet<string>;
}

function surfacesOf(reports: readonly TopicReport[], named: ReadonlySet<string>): Surfaces {
  const guesses = (kind: MappedKind) =>
    reports.flatMap(({ survey }) => survey.kinds.get(kind) ?? []);
  const shown = guesses('impression').flatMap(({ fields }) => fields.surface.slice(0, 1));
  const values = new Set(shown.flatMap((field) => [...field.values]));
  if (values.size === 0) {
    return {
      are: 'none',
      values,
    };
  }
  const causal = guesses('interaction').filter(({ fields, causes }) =>
    [...fields.exposure, ...fields.list, ...causes].some((field) => overlaps(field, named)),
  );
  if (causal.every(({ fields }) => fields.surface.some((field) => overlaps(field, values)))) {
    return {
      are: 'named by interactions',
      values,
    };
  }
  const several = reports.some(({ hasListsOfSeveralSurfaces }) => hasListsOfSeveralSurfaces);
  return {
    are: several ? 'not named' : 'left out',
    values,
  };
}

/**
 * Find the source of list ids in interactions: a field with ids of sampled lists, joined with the
 * surface if the ids of lists contain it; undefined if there is none.
 */
function exposureOf(
  { fields, items, causes }: Guess,
  named: ReadonlySet<string>,
  surfaces: Surfaces,
): LineSource | undefined {
  const found = [...fields.exposure, ...fields.list].find((field) => overlaps(field, named));
  if (surfaces.are === 'named by interactions' || surfaces.are === 'not named') {
    const surface = fields.surface.find((field) => overlaps(field, surfaces.values));
    return found && surface && { join: [found.path, surface.path] };
  }
  if (found !== undefined) return found.path;
  const inLine = causes.find((field) => overlaps(field, named));
  if (fields.item.length > 0 || items === undefined || inLine === undefined) return undefined;
  return {
    path: items.path,
    each: inLine.each!,
  };
}

function paths(fields: readonly SeenField[]): string {
  return fields
    .slice(0, 3)
    .map(({ path }) => path)
    .join(', ');
}
