import { UnskewError } from '../../errors.js';
import { learnedPropensities } from '../../estimators/propensity/learned-propensities.js';
import { decimal, whole } from '../../rows/figures.js';
import { Interner } from '../../state/ids/interner.js';
import { Outcomes } from '../../stream/outcomes.js';
import type { CommandIo } from '../cli/io.js';
import { faultyOf, noEvents } from '../files/no-events.js';
import { EventReader } from '../files/read-events.js';
import { readPropensities } from '../propensities/stored-propensities.js';
import { decoderOptions } from '../service/monitor-options.js';
import { type Lesson, learn } from './learn.js';
import type { LearnedModel } from './learned-model.js';
import { writeLists } from './lists.js';
import {
  type AskedPropensities,
  evenPropensity,
  PROPENSITY_SOURCES,
  weightsOf,
} from './propensities.js';
import { type RatingData, RatingLog } from './rating-log.js';
import { readModel, writeModel } from './read-model.js';
import type { TrainOptions } from './train-options.js';

/** Outcome of `unskew train`, to be printed. */
interface Training {
  readonly data: RatingData;
  readonly model: LearnedModel;
  /** Facts about the training; undefined if the model was read from a file. */
  readonly lesson?: Lesson;
  /** Number of ratings of items that the model does not know. */
  readonly leftOut: number;
  readonly lists: {
    readonly path: string;
    readonly count: number;
  };
  readonly modelPath?: string | undefined;
}

const TRAINING_SCHEMA = 'unskew/training@1';

/** Format the outcome as one JSON object. */
function trainingJson({ data, model, lesson, leftOut, lists, modelPath }: Training): string {
  const { rating } = data.ratings;
  return JSON.stringify({
    schema: TRAINING_SCHEMA,
    kind: model.learned.kind,
    counts: {
      ratings: rating.length,
      users: data.users.length,
      items: model.items.length,
      randomised: data.randomised.length,
      leftOut,
      lists: lists.count,
    },
    fit: lesson?.fit ?? null,
    validation: lesson?.chosen?.validation ?? null,
    lists: lists.path,
    model: modelPath ?? null,
  });
}

/** Format the outcome as a few lines of text. */
function trainingLines(training: Training): string {
  const { data, model, lesson, leftOut, lists, modelPath } = training;
  const { rating } = data.ratings;
  const of = `${whole(data.users.length)} users and ${whole(model.items.length)} items`;
  const lines = [
    `${whole(rating.length)} ratings of ${of}`,
    ...(data.randomised.length > 0
      ? [`${whole(data.randomised.length)} ratings of randomised traffic, not used for training`]
      : []),
    ...(leftOut > 0 ? [`${whole(leftOut)} ratings on items that the model does not know`] : []),
    ...(lesson === undefined ? [] : lessonLines(lesson)),
    `${lists.path}: ${whole(lists.count)} lists`,
    ...(modelPath === undefined ? [] : [`${modelPath}: the model`]),
  ];
  return `${lines.join('\n')}\n`;
}

function lessonLines({ learned: { kind }, fit, chosen }: Lesson): string[] {
  if (fit === undefined) return [];
  const { factors, lambda, objective, sweeps, pairsCovered } = fit;
  const by = chosen === undefined ? '' : ', chosen by cross-validation';
  return [
    `${kind}: ${factors} factors, lambda ${lambda}${by}`,
    `objective ${decimal(objective, 4)} after ${sweeps} sweeps; sum of 1/P over number of pairs: ${decimal(pairsCovered, 3)}`,
  ];
}

/**
 * `unskew train`: train a baseline on event files, or read a trained one, and write its lists as
 * events of a shadow model.
 */
export async function train(options: TrainOptions, io: CommandIo): Promise<void> {
  const { from, out, modelOut, listLength, json } = options;
  const asked = await askedPropensities(options.propensities);
  const stored = 'model' in from ? await readModel(from.model) : undefined;
  if (stored !== undefined && options.propensities !== undefined) {
    checkUse(stored);
  }
  const read = await readRatings(options, io);
  const lesson = 'kind' in from ? await lessonOf(from, read, options, asked, io) : undefined;
  const model = stored ?? {
    items: read.items,
    learned: (lesson as Lesson).learned,
    learnedTo: read.newestMs,
  };
  const { data, leftOut } = knownItems(read, model.items);
  const lists = {
    name: options.name ?? model.learned.kind,
    length: listLength,
    keepsRated: options.keepsRated ?? false,
    atMs: options.atMs ?? read.newestMs,
  };
  if (modelOut !== undefined) {
    await writeModel(modelOut, model);
  }
  const count = await writeLists(out, model, data, weightsFor(model, data, asked), lists, io);
  const training = {
    data,
    model,
    leftOut,
    modelPath: modelOut,
    lists: {
      path: out,
      count,
    },
    ...(lesson === undefined ? {} : { lesson }),
  };
  for (const line of cautionsOf(lesson)) {
    io.stderr(`warning: ${line}\n`);
  }
  io.stdout(json ? `${trainingJson(training)}\n` : trainingLines(training));
}

/** Read the events and build ratings from them. @throws UnskewError EVENTS if there is no event */
async function readRatings(options: TrainOptions, io: CommandIo): Promise<RatingData> {
  const { config, events, maxFaults } = options;
  const users = new Interner();
  const ids = {
    items: new Interner(),
    models: new Interner(),
    users: () => users,
  };
  const log = new RatingLog(
    {
      users,
      items: ids.items,
    },
    config.events.actions,
  );
  const outcomes = new Outcomes();
  const reader = new EventReader({
    decoder: decoderOptions(config),
    maxEventBytes: config.events.maxBytes,
    maxFaults,
    ids,
    users,
    io,
  });
  let sound = 0;
  await reader.read(events, outcomes, (interactions, exposures) => {
    sound += interactions.length + exposures.length;
    log.take(interactions, exposures);
  });
  if (sound > 0) return log.data();
  const { ignored } = outcomes;
  throw noEvents(events, {
    faulty: faultyOf(outcomes),
    ignored,
    first: reader.faults.first,
  });
}

function lessonOf(
  { kind, learning }: Exclude<TrainOptions['from'], { readonly model: string }>,
  data: RatingData,
  { config }: TrainOptions,
  propensities: AskedPropensities,
  io: CommandIo,
): Promise<Lesson> {
  const { minValue: positiveFrom } = config.positive;
  return learn(kind, data, learning, { positiveFrom, propensities }, io);
}

/**
 * Check that `--propensities` has an effect with `--model`: only a model that was trained with a
 * propensities file uses it. @throws UnskewError USAGE if it has none
 */
function checkUse({ learned }: LearnedModel): void {
  if ('propensities' in learned && learned.propensities.source === 'file') return;
  throw new UnskewError('USAGE', '--propensities would have no effect beside this --model');
}

/** Interpret the option `--propensities`: name of a source, or path of a file to read. */
async function askedPropensities(named: string | undefined): Promise<AskedPropensities> {
  if (named === undefined) return 'even';
  const source = PROPENSITY_SOURCES.find((each) => each === named);
  if (source !== undefined) return source;
  const { version, model } = await readPropensities(named);
  return {
    version,
    learned: learnedPropensities(model),
  };
}

/**
 * Compute the weights 1 / P of ratings for a model; equal weights for models that do not use them.
 */
function weightsFor(
  { learned }: LearnedModel,
  data: RatingData,
  asked: AskedPropensities,
): Float64Array {
  if (data.ratings.rating.length === 0) {
    throw new UnskewError('EVENTS', 'the model knows none of the rated items');
  }
  const propensities = 'propensities' in learned ? learned.propensities : evenPropensity(data);
  return weightsOf(propensities, data, asked);
}

function cautionsOf(lesson: Lesson | undefined): string[] {
  const validation = lesson?.chosen?.validation;
  if (validation === undefined || !validation.isAtEdge) return [];
  return [
    `the best lambda, ${validation.best.lambda}, is at the edge of the tried range: a value outside it may be better`,
  ];
}

/** Ratings of items in a model, and the number of ratings of other items. */
interface KnownItems {
  readonly data: RatingData;
  readonly leftOut: number;
}

/** Restrict ratings to the items of a model, and number the items as in the model. */
function knownItems(data: RatingData, items: readonly string[]): KnownItems {
  const numberOf = new Map(items.map((item, number) => [item, number]));
  const { ratings } = data;
  const number = Array.from(ratings.item, (item) => numberOf.get(data.items[item]) ?? -1);
  const rows = Int32Array.from(ratings.item.keys()).filter((row) => number[row] >= 0);
  return {
    data: {
      ...data,
      items,
      ratings: {
        users: ratings.users,
        items: items.length,
        user: rows.map((row) => ratings.user[row]),
        item: rows.map((row) => number[row]),
        rating: Float64Array.from(rows, (row) => ratings.rating[row]),
      },
      logged: () => {
        const logged = data.logged();
        return Float64Array.from(rows, (row) => logged[row]);
      },
    },
    leftOut: ratings.item.length - rows.length,
  };
}
