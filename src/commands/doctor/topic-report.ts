import { basename } from 'node:path';
import { PayloadFault } from '../../events/formats/cursor.js';
import type { Format } from '../../events/formats/frame.js';
import { frameOf } from '../../events/formats/frame.js';
import { FramedValues } from '../../events/formats/framed-values.js';
import { ALL } from '../../events/formats/plan.js';
import type { SchemaTable } from '../../events/formats/schema.js';
import type { EventFields } from '../../events/found.js';
import { parseJson } from '../../events/json-parse.js';
import { parsePointer, resolvePointer, timestampMs } from '../../events/mapping/field-source.js';
import { type Survey, survey } from '../../events/survey-kinds.js';
import type { SourceRecord } from '../../stream/intake/shuffle.js';
import { type Ready, readyFor } from './ready-mapping.js';

/** Sample of a topic or of a group of files. */
export interface Sampled {
  readonly name: string;
  readonly partitions: number;
  readonly records: number;
  readonly retentionMs: number | undefined;
  readonly sample: readonly SourceRecord[];
  /**
   * Way to read the topic or files if their form alone determines it, without a look at the
   * records.
   */
  readonly ready?: Ready | undefined;
}

/** Findings about a topic or a group of files from its sample. */
export interface TopicReport extends Sampled {
  readonly format: Format;
  /** Number of records by framing: `JSON`, the format and id of a schema, or `unreadable`. */
  readonly framing: ReadonlyMap<string, number>;
  readonly survey: Survey;
  /** Way to read it without a written mapping; undefined if none fits. */
  readonly ready: Ready | undefined;
  /** Earliest event time in the sample, ms. */
  readonly earliest: number | undefined;
  /** Path of the field that equals at least 95 % of the record keys; undefined if there is none. */
  readonly keyedBy: string | undefined;
  readonly hasKeys: boolean;
  /**
   * `several` is the number of users with several sampled records. `split` is the number of those
   * users whose records are in several partitions.
   */
  readonly users: {
    readonly several: number;
    readonly split: number;
  };
  /** Whether a request's impressions have several surfaces, each with its own list. */
  readonly hasListsOfSeveralSurfaces: boolean;
  /**
   * `lagMs` is the median of record time − event time. `disorderMs` is the 99th percentile of how
   * much older an event is than the newest event before it in its partition.
   */
  readonly clock:
    | {
        readonly lagMs: number;
        readonly disorderMs: number;
      }
    | undefined;
}

interface Read {
  readonly record: SourceRecord;
  readonly event: EventFields;
}

const ENOUGH = 0.95;
const AHEAD_MS = 3_600_000;

export function reportOf(
  sampled: Sampled,
  schemas: SchemaTable | undefined,
  isFile = false,
): TopicReport {
  const framing = new Map<string, number>();
  const formats = new Map<Format, number>();
  const read: Read[] = [];
  const values = schemas && new FramedValues(schemas, ALL);
  for (const record of sampled.sample) {
    const { key, format, event } = readRecord(record, values, schemas);
    framing.set(key, (framing.get(key) ?? 0) + 1);
    if (format !== undefined) {
      formats.set(format, (formats.get(format) ?? 0) + 1);
    }
    if (event !== undefined) {
      read.push({ record, event });
    }
  }
  const readable = [...formats.values()].reduce((sum, count) => sum + count, 0);
  const [most] = [...formats].find(([, count]) => count >= ENOUGH * readable) ?? ['auto' as const];
  // The names of the folders above a file have no meaning.
  const isOneFile = isFile && !sampled.name.includes('*');
  const found = survey(
    isOneFile ? basename(sampled.name) : sampled.name,
    read.map(({ event }) => event),
  );
  const { fields, tsUnit } = found.all;
  const userAt = tokensOf(fields.user[0]?.path);
  const timeAt = tokensOf(fields.time[0]?.path);
  return {
    ...sampled,
    format: readable === 0 ? 'json' : most,
    framing,
    survey: found,
    ready: sampled.ready ?? readyFor(sampled.sample, !isFile),
    earliest: earliestOf(read, timeAt, tsUnit),
    keyedBy: keyedBy(read, found),
    hasKeys: sampled.sample.some(({ from }) => from.key !== null),
    users: usersOf(read, userAt),
    hasListsOfSeveralSurfaces: areSeveral(read, found),
    clock: timeAt && clockOf(read, (event) => timeOf(resolvePointer(event, timeAt), tsUnit)),
  };
}

function readRecord(
  { value, frame: header }: SourceRecord,
  values: FramedValues | undefined,
  schemas: SchemaTable | undefined,
): {
  key: string;
  format?: Format;
  event?: EventFields;
} {
  const bytes = value ?? new Uint8Array(0);
  const json = jsonOf(bytes);
  if (json !== undefined) {
    return {
      key: 'JSON',
      format: 'json',
      event: json,
    };
  }
  const frame = frameOf(bytes, 0, bytes.length, header);
  if (frame === undefined) return { key: 'unreadable' };
  const schema = schemas?.get(frame.key);
  if (schema === undefined || schema.type === 'unreadable' || values === undefined) {
    return { key: `framed, ${frame.key}` };
  }
  const key = `${schema.type}, ${frame.key}`;
  if (schema.type === 'json_schema') {
    const event = jsonOf(bytes.subarray(frame.start));
    return {
      key,
      format: schema.type,
      ...(event && { event }),
    };
  }
  try {
    const event = values.value(schema, frame, bytes, bytes.length);
    return typeof event === 'object' && event !== null
      ? {
          key,
          format: schema.type,
          event: event as EventFields,
        }
      : {
          key,
          format: schema.type,
        };
  } catch (error) {
    if (!(error instanceof PayloadFault)) throw error;
    return { key: 'unreadable' };
  }
}

/** Parse a JSON object; undefined for anything else. */
export function jsonOf(bytes: Uint8Array): EventFields | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    const found = parseJson(text);
    return typeof found === 'object' && found !== null && !Array.isArray(found)
      ? (found as EventFields)
      : undefined;
  } catch {
    return undefined;
  }
}

function tokensOf(path: string | undefined): readonly string[] | undefined {
  return path === undefined ? undefined : (parsePointer(path) ?? undefined);
}

function timeOf(found: unknown, unit: Survey['all']['tsUnit']): number {
  const ms = timestampMs(typeof found === 'bigint' ? Number(found) : found, unit);
  return typeof ms === 'number' ? ms : Date.parse(String(ms));
}

function earliestOf(
  read: readonly Read[],
  at: readonly string[] | undefined,
  unit: Survey['all']['tsUnit'],
): number | undefined {
  const times =
    at === undefined ? [] : read.map(({ event }) => timeOf(resolvePointer(event, at), unit));
  const known = times.filter(Number.isFinite);
  return known.length === 0 ? undefined : Math.min(...known);
}

function areSeveral(read: readonly Read[], { kinds }: Survey): boolean {
  const fields = kinds.get('impression')?.fields;
  const listAt = tokensOf(fields?.list[0]?.path);
  const surfaceAt = tokensOf(fields?.surface[0]?.path);
  if (listAt === undefined || surfaceAt === undefined) return false;
  const first = new Map<string, unknown>();
  return read.some(({ event }) => {
    const surface = resolvePointer(event, surfaceAt) ?? undefined;
    const list = String(resolvePointer(event, listAt));
    if (surface === undefined) return false;
    if (!first.has(list)) {
      first.set(list, surface);
    }
    return first.get(list) !== surface;
  });
}

function keyedBy(read: readonly Read[], { counts }: Survey): string | undefined {
  const keyed = read.filter(({ record }) => record.from.key !== null);
  if (keyed.length === 0) return undefined;
  const scalar = counts.seen.filter(({ each, values }) => each === undefined && values.size > 0);
  return scalar.find(({ path }) => {
    const tokens = tokensOf(path)!;
    const same = keyed.filter(
      ({ record, event }) => String(resolvePointer(event, tokens)) === record.from.key,
    );
    return same.length >= ENOUGH * keyed.length;
  })?.path;
}

function usersOf(read: readonly Read[], at: readonly string[] | undefined): TopicReport['users'] {
  const homes = new Map<
    string,
    {
      records: number;
      partitions: Set<number>;
    }
  >();
  for (const { record, event } of at === undefined ? [] : read) {
    const user = resolvePointer(event, at!);
    if (user === undefined || user === null) continue;
    const home = homes.get(String(user)) ?? {
      records: 0,
      partitions: new Set(),
    };
    home.records++;
    home.partitions.add(record.from.partition);
    homes.set(String(user), home);
  }
  const several = [...homes.values()].filter(({ records }) => records > 1);
  return {
    several: several.length,
    split: several.filter(({ partitions }) => partitions.size > 1).length,
  };
}

function clockOf(
  read: readonly Read[],
  timeOfEvent: (event: EventFields) => number,
): TopicReport['clock'] {
  const lags: number[] = [];
  const newest = new Map<number, number>();
  const back: number[] = [];
  for (const { record, event } of read) {
    const ts = timeOfEvent(event);
    if (!Number.isFinite(ts)) continue;
    if (record.ts > 0) {
      lags.push(record.ts - ts);
    }
    // An event too far in the future is rejected, so it does not make later events late.
    if (record.ts > 0 && ts > record.ts + AHEAD_MS) continue;
    const before = newest.get(record.from.partition) ?? ts;
    back.push(Math.max(0, before - ts));
    newest.set(record.from.partition, Math.max(before, ts));
  }
  if (lags.length + back.length === 0) return undefined;
  for (const each of [lags, back]) {
    each.sort((a, b) => a - b);
  }
  const disorderMs = back[Math.ceil(0.99 * back.length) - 1] ?? 0;
  return {
    lagMs: lags[lags.length >> 1] ?? 0,
    disorderMs,
  };
}
