import { createHash, type Hash } from 'node:crypto';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { UnskewError } from '../../errors.js';
import { encodeEvent } from '../../events/encode.js';
import type { NightOrder } from '../../export/nights/night-ports.js';
import { MANIFEST, type SetDraft, type SetStorage, type WrittenFile } from '../../export/ports.js';
import { type Kind, predictsRatings } from '../../learning/kinds.js';
import { positiveCounts } from '../../learning/rankers/popularity.js';
import { topItems } from '../../learning/rankers/ranker.js';
import type { LearnedLists } from '../../stream/shadow/learned-lists.js';
import { type NamedList, packLists } from '../../stream/shadow/pack-lists.js';
import type { LoggedIo } from '../cli/io.js';
import { packageVersion } from '../cli/version.js';
import type { Lesson } from '../training/learn.js';
import { eventOf, lister } from '../training/lists.js';
import { modelLines } from '../training/model/model-file.js';
import type { RatingData } from '../training/rating-log.js';
import {
  LISTS_FILE,
  MODEL_FILE,
  parsedManifest,
  SHADOW_SCHEMA,
  type ShadowManifest,
} from './manifest.js';

const BLOCK_CHARS = 64 * 1024;
const PROGRESS_EVERY = 256;

export interface ListsToStore {
  readonly kind: Kind;
  readonly order: NightOrder;
  readonly data: RatingData;
  readonly lesson: Lesson;
  /** 1 / P of each rating. */
  readonly weight: Float64Array;
  readonly level: number;
  readonly seed: number;
  /** Of the longest list. */
  readonly length: number;
  readonly positiveFrom: number;
  readonly interactions: number;
  readonly onProgress: (done: number, total: number) => void;
}

/**
 * Stores a list for each user who was learned from, as events of a model that is not shown, beside
 * the model itself. They appear together, or not at all.
 *
 * @returns number of lists
 */
export async function storeLists(
  what: ListsToStore,
  storage: SetStorage,
  { io, mayCommit }: { readonly io: LoggedIo; readonly mayCommit: () => Promise<void> },
): Promise<number> {
  const { order, data, lesson, kind } = what;
  const { items } = data;
  const model = { items, learned: lesson.learned, learnedTo: data.newestMs };
  const draft = await storage.create(order.name);
  try {
    const files = [
      await writeLines(draft, MODEL_FILE, modelLines(model), io),
      await writeLines(draft, LISTS_FILE, listLines(what), io),
    ];
    const manifest: ShadowManifest = {
      schema: SHADOW_SCHEMA,
      version: packageVersion(),
      ...{ kind, seed: what.seed, from: order.from, to: order.to, level: what.level },
      ...{ interactions: what.interactions, ratings: data.ratings.rating.length },
      ...{ users: data.users.length, items: items.length },
      popular: popularList(what),
      ...(lesson.fit && {
        fit: { ...lesson.fit, isAtEdge: lesson.chosen?.validation?.isAtEdge ?? false },
      }),
      files,
    };
    await mayCommit();
    await draft.commit(`${JSON.stringify(manifest, null, 2)}\n`);
    return data.users.length;
  } catch (error) {
    // Report what ended the run, not that tidying up failed as well.
    await draft.abort().catch((cause: unknown) => {
      io.log.warn({ err: cause, set: order.name }, 'what was written of the lists is left behind');
    });
    throw error;
  }
}

function* listLines(what: ListsToStore): Generator<string> {
  const { kind, data, order, lesson, weight, length, onProgress } = what;
  const listOf = lister({ items: data.items, learned: lesson.learned }, data, weight, { length });
  for (const [u, user] of data.users.entries()) {
    const list = listOf(u);
    const how = { name: kind, atMs: order.to };
    if (list !== undefined) yield encodeEvent(eventOf(list, user, u, how));
    if (u % PROGRESS_EVERY === 0) onProgress(u, data.users.length);
  }
}

function popularList({ data, positiveFrom, length }: ListsToStore): ShadowManifest['popular'] {
  const counts = positiveCounts(data.ratings, positiveFrom);
  const items = Array.from(topItems(counts, length), (item) => data.items[item]);
  return { items, candidates: data.items.length };
}

async function writeLines(
  draft: SetDraft,
  name: string,
  lines: Iterable<string>,
  io: LoggedIo,
): Promise<WrittenFile> {
  const file = await draft.file(name);
  let block = '';
  for (const line of lines) {
    block += `${line}\n`;
    if (block.length < BLOCK_CHARS) continue;
    if (io.signal.aborted) throw new UnskewError('INTERRUPTED', 'interrupted');
    await file.write(Buffer.from(block));
    block = '';
  }
  await file.write(Buffer.from(block));
  return file.close();
}

const LIST = Type.Object({
  user: Type.String({ minLength: 1 }),
  items: Type.Array(Type.String({ minLength: 1 })),
  scores: Type.Array(Type.Number()),
  candidates: Type.Integer({ minimum: 0 }),
});

export interface StoredLists {
  readonly manifest: ShadowManifest;
  readonly lists: LearnedLists;
}

/**
 * Reads what `storeLists` stored.
 *
 * @param kind that is asked for. @throws UnskewError FILE if it is of another kind, is something
 * else, was cut short or changed
 */
export async function readLists(
  storage: SetStorage,
  name: string,
  kind: Kind,
): Promise<StoredLists> {
  const where = `${storage.place}/${name}`;
  const refuse = (what: string): never => {
    throw new UnskewError('FILE', `${where}: ${what}`);
  };
  const manifest = parsedManifest(await textOf(storage, name, MANIFEST), where);
  if (manifest.kind !== kind) refuse(`it is of kind ${manifest.kind}, and ${kind} is asked for`);
  const hash = createHash('sha256');
  const users: [string, NamedList][] = [];
  let number = 0;
  for await (const line of linesOf(storage.read(name, LISTS_FILE), hash)) {
    number++;
    const list = parsed(line);
    // The rest is read as well, so that a file which was changed is called one.
    if (Value.Check(LIST, list)) users.push([list.user, list]);
  }
  const { sha256 } = manifest.files.find((file) => file.name === LISTS_FILE) ?? {};
  if (hash.digest('hex') !== sha256) {
    refuse(`${LISTS_FILE} was changed or cut short: it is not what the manifest says`);
  }
  if (users.length !== number)
    refuse(`${number - users.length} lines of ${LISTS_FILE} are no lists`);
  const { to: learnedTo, level, popular } = manifest;
  const how = { learnedTo, level, popular, predictsRatings: predictsRatings(kind) };
  return { manifest, lists: packLists(users, how) };
}

/** A line at a time: all of them may be longer than a text can be. */
async function* linesOf(bytes: AsyncIterable<Uint8Array>, hash: Hash): AsyncIterable<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const part of bytes) {
    hash.update(part);
    const lines = (rest + decoder.decode(part, { stream: true })).split('\n');
    rest = lines.pop()!;
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

async function textOf(storage: SetStorage, name: string, file: string): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of storage.read(name, file)) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
