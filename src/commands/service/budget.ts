import { DEFAULT_MAX_BYTES } from '../../adapters/kafka/options.js';
import { BATCHES_PER_ANSWER, RECORD_BYTES } from '../../adapters/kafka/unpacking/unpacking.js';
import { SERVICE_LIMITS } from '../../config/keys/state.js';
import type { Config } from '../../config.js';
import { measures } from '../../estimators/metrics/metric-gain.js';
import { isRatingMetric } from '../../estimators/metrics/rating-metrics.js';
import { METRICS, type Metric } from '../../estimators/metrics/registry.js';
import { FEATURE_MEMORY, featureOptions } from '../../features/options.js';
import type { BudgetLine } from '../../features/resources.js';
import { joinedRequests } from '../../features/works.js';
import { COARSE_MS, DENSE_TICKS } from '../../outputs/history/history.js';
import { MAX_PENDING_BYTES, MAX_READERS } from '../../outputs/http/routes/tick-stream.js';
import { MOST_MODEL_NAMES } from '../../stream/id-tables.js';
import { propensityFileOf } from '../propensities/used-file.js';
import { LETTERS_BYTES, SLICE_BYTES } from './dead-letter-queue.js';
import { OUTBOX_BYTES } from './outbox.js';

/** Upper bound of the memory of the name of one time series of the history, bytes. */
const NAME_BYTES = 800;
/** Number of aggregations that each metric is estimated with: by user and pooled. */
const AGGREGATIONS = 2;
/**
 * Number of estimates of a model's reward per request. Two are on policy: by served lists, and by
 * requests. Three are off policy, from all arms: plain, self-normalised and doubly robust.
 */
const VALUE_FORMS = 5;
/** Memory of one tick in the history, without the values of its series, bytes. */
const TICK_BYTES = 200;

/**
 * Upper bound of the memory of the page's history, bytes, with as many models as `models.max`
 * allows.
 */
export function historyBytes(config: Config): number {
  const { history, time } = config;
  const ticks =
    Math.min(history.keepMs / time.tickMs, DENSE_TICKS + history.keepMs / COARSE_MS) + 2;
  const series = seriesCount(config);
  return ticks * (TICK_BYTES + series * Float32Array.BYTES_PER_ELEMENT) + series * NAME_BYTES;
}

function seriesCount({ models, time, estimates, baseline }: Config): number {
  const all = models.max + (baseline === 'none' ? 0 : 1);
  const { metrics, ks, estimators } = estimates;
  const ofLists = metrics.filter((metric): metric is Metric => METRICS.includes(metric as Metric));
  // Each metric at its cut-offs has three series: value, lower and upper bound. An estimator has
  // two more, for its users and its events.
  const ofRatings = (metrics.length - ofLists.length) * (ks.length + 1);
  const ofEstimator = AGGREGATIONS * (measures(ofLists, ks).length + ofRatings) * 3 + 2;
  // Differences from the reference have no series for users and events, but three for the reward.
  const differences = ofEstimator - 2 + 3;
  const ofModel =
    time.windows.length * (estimators.length * ofEstimator + VALUE_FORMS * 3 + differences);
  // 8 series of concentration and fits per model and for all models together; 20 of the topics'
  // counts.
  return all * ofModel + (all + 1) * 8 + 20;
}

const MIB = 1024 * 1024;
/** Number of threads that have an id table of their own: one reads and serves, the other ticks. */
export const THREADS = 2;

/** Measured upper bounds of the memory of one object of each kind, bytes, with ids of 12 bytes. */
export const BYTES_EACH = {
  /** A row of a window without its models, with room for the table to grow. */
  row: 20,
  /** One model of a row. */
  rowModel: 4.5,
  /**
   * A rated row: the rating itself, and the addition of each model (`ratingModel`). Both include
   * the copy that a tick makes. Only rating metrics need them.
   */
  rating: 18,
  ratingModel: 10.5,
  /** Propensity of a rated row during a tick, if propensities come from a file. */
  ratingByFile: 8,
  /** Score of one list entry, needed only for rating metrics. */
  listScore: 6,
  /** Copy of a row, grouped by user, while a tick runs. */
  rowCopy: 17,
  listEntry: 16,
  /**
   * A closed request: the request itself, the items that are sampled from it (`requestItem`), and
   * the addition of each model to that sample (`requestModel`).
   */
  request: 100,
  requestItem: 100,
  requestModel: 12,
  /**
   * An open request: the request itself, each of its lists (`openList`), and each item of a list
   * (`openItem`).
   */
  openRequest: 64,
  openList: 24,
  openItem: 4,
  /** The reward of one item of the list that was served for an open request. */
  openReward: 8,
  user: 75,
  item: 150,
} as const;

/**
 * Memory of one event id that is stored for deduplication, bytes (`least` to `most`), and the time
 * for which the id is stored, in multiples of `dedupe.ttl` (`ttls`, also a range).
 *
 * An id takes 16 bytes with a value and 12 without, plus 8 bytes per hash slot; 35 to 70 % of the
 * slots are in use.
 */
export const EVENT_ID = {
  least: 23,
  most: 39,
  ttls: [2, 3],
} as const;

/**
 * Memory of the process without traffic, bytes, including the tick thread: code, stacks, metrics,
 * and the newest snapshot.
 */
export const PROGRAM_BYTES = 220 * MIB;
/** Upper bound of the size of one tick in the event stream of the page, bytes. */
const MESSAGE_BYTES = 64 * 1024;
/**
 * Assumed minimum size of an event, bytes, which bounds the number of records in a fetch response.
 */
const LEAST_EVENT_BYTES = 100;
/**
 * Upper bound of the memory of a model name that occurs once, until its pane closes, bytes. It
 * includes the items of the model's lists if users are sampled.
 */
const MODEL_NAME_BYTES = 1024;
/**
 * Assumed number of items in a list of an open request. The text of the budget line says that lists
 * may be longer.
 */
const OPEN_ITEMS = 10;
/**
 * Number of copies of a fetch response in memory: the old one may not be garbage-collected yet when
 * the next one arrives.
 */
const GENERATIONS = 2;

/** Inputs of the budget other than the configuration. */
export interface Surroundings {
  /** Number of brokers that may answer at the same time. */
  readonly brokers: number;
  /** Number of partitions of a topic; a checkpoint covers one. */
  readonly partitions: number;
}

/** Count the configured outputs that queue data until it is written. */
function outboxesOf({ results, estimatesFile, history }: Config): number {
  return [results.out, estimatesFile, history.dir].filter((place) => place !== undefined).length;
}

/**
 * List the parts of a service with an upper bound of the memory of each, bytes. The bound of a part
 * is infinite if no limit is configured for it.
 */
export function memoryBudget(config: Config, { brokers, partitions }: Surroundings): BudgetLine[] {
  const { kafka, models } = config;
  const state = stateLines(config);
  const kept = state.reduce((sum, { bytes }) => sum + bytes, 0);
  return [
    ...state,
    ...(config.state.store === 'none' ? [] : [checkpointLine(kept / partitions)]),
    {
      what: 'fetch responses, compressed and decompressed',
      bytes: GENERATIONS * brokers * answerBytes(kafka.maxUnpackedBytes),
      keys: ['kafka.maxUnpacked'],
      atBound: 'further data wait; a batch above the limit is rejected',
    },
    {
      what: 'dead letters that wait to be written',
      bytes: config.deadLetters.to === 'none' ? 0 : LETTERS_BYTES + SLICE_BYTES,
      keys: [],
      atBound: 'further letters are dropped and counted',
    },
    {
      what: 'outputs that wait to be written',
      bytes: OUTBOX_BYTES * outboxesOf(config),
      keys: [],
      atBound: 'later outputs are dropped and counted',
    },
    {
      what: `${MAX_READERS} slow clients of the event stream`,
      bytes: MAX_READERS * (MAX_PENDING_BYTES + MESSAGE_BYTES),
      keys: [],
      atBound: 'slow clients are disconnected; further clients get a 503',
    },
    {
      what: 'history for the page',
      bytes: historyBytes(config),
      keys: ['history.keep', 'models.max', 'estimates.estimators', 'estimates.metrics'],
      atBound: 'older ticks are thinned to one a minute, then dropped',
    },
    ...exportLines(config),
    ...FEATURE_MEMORY.map((lineOf) => lineOf(config)),
    {
      what: 'model names that occur only once, such as request ids given as model',
      bytes: MOST_MODEL_NAMES * MODEL_NAME_BYTES,
      keys: [],
      atBound: 'their lists are left out and counted',
    },
    {
      what: 'the program itself',
      bytes: PROGRAM_BYTES + models.max * MIB,
      keys: ['models.max'],
      atBound: 'lists of further models are left out and counted',
    },
  ];
}

/**
 * Upper bound of the memory of a fetch response, bytes, including the client's record objects and
 * decompressed batches.
 */
function answerBytes(maxUnpackedBytes: number): number {
  const records = DEFAULT_MAX_BYTES / LEAST_EVENT_BYTES;
  return DEFAULT_MAX_BYTES + records * RECORD_BYTES + BATCHES_PER_ANSWER * maxUnpackedBytes;
}

export function total(lines: readonly BudgetLine[]): number {
  return lines.reduce((sum, { bytes }) => sum + bytes, 0);
}

function stateLines(config: Config): BudgetLine[] {
  const { limits, models, time, estimates } = config;
  const { rows, listEntries, users, requests } = {
    ...SERVICE_LIMITS,
    ...given(limits),
  };
  const isRated = estimates.metrics.some(isRatingMetric);
  const learned = propensityFileOf(config) === undefined ? 0 : BYTES_EACH.ratingByFile;
  const rating = isRated ? BYTES_EACH.rating + learned + models.max * BYTES_EACH.ratingModel : 0;
  const row = BYTES_EACH.row + models.max * BYTES_EACH.rowModel + BYTES_EACH.rowCopy + rating;
  const horizonMs = joinedRequests(featureOptions(config))?.horizonMs ?? 0;
  return [
    {
      what: 'rows of the windows, and the copy for a tick',
      bytes: rows * row,
      keys: ['limits.rows', 'models.max'],
      atBound: 'users are sampled',
    },
    {
      what: 'lists within attribution.ttl',
      bytes: listEntries * (BYTES_EACH.listEntry + (isRated ? BYTES_EACH.listScore : 0)),
      keys: ['limits.listEntries'],
      atBound: 'users are sampled',
    },
    {
      what: 'users with their counts, in both threads',
      bytes: THREADS * users * BYTES_EACH.user,
      keys: ['limits.users'],
      atBound: 'users are sampled',
    },
    {
      what: 'requests of the windows',
      bytes: requests * requestBytes(models.max),
      keys: ['limits.requests', 'models.max'],
      atBound: 'requests are sampled',
    },
    {
      what: `requests within value.horizon, with lists of ${OPEN_ITEMS} items`,
      bytes: requests * windowsIn(horizonMs, time.windows) * openRequestBytes(models.max),
      keys: ['limits.requests', 'models.max', 'value.horizon', 'time.windows'],
      atBound: 'requests are sampled',
    },
    {
      what: 'items with their counts, in both threads',
      bytes: THREADS * (limits.items ?? Number.POSITIVE_INFINITY) * BYTES_EACH.item,
      keys: ['limits.items'],
      atBound: 'events with further items are left out and counted',
    },
  ];
}

/** Memory of a closed request with its sampled items, bytes. */
function requestBytes(models: number): number {
  return BYTES_EACH.request + BYTES_EACH.requestItem + models * BYTES_EACH.requestModel;
}

/** Memory of an open request with the lists of all models, bytes. */
function openRequestBytes(models: number): number {
  const list = BYTES_EACH.openList + OPEN_ITEMS * BYTES_EACH.openItem;
  return BYTES_EACH.openRequest + models * list + OPEN_ITEMS * BYTES_EACH.openReward;
}

/**
 * How many times the longest window fits into the value horizon. `limits.requests` bounds the
 * requests of one window, so this many times that limit may be open.
 */
function windowsIn(horizonMs: number, windows: Config['time']['windows']): number {
  return horizonMs / Math.max(...windows.map(({ ms }) => ms));
}

function given(limits: Config['limits']): Partial<typeof SERVICE_LIMITS> {
  const entries = Object.entries(limits).filter(([, value]) => value !== undefined);
  return Object.fromEntries(entries);
}

function checkpointLine(bytes: number): BudgetLine {
  return {
    what: 'a checkpoint while it is written',
    bytes,
    keys: ['state.store'],
    atBound: 'partitions are saved one after another',
  };
}

function exportLines({ export: { schedule, memoryBytes } }: Config): BudgetLine[] {
  if (schedule === undefined) return [];
  return [
    {
      what: 'a test set while it is made',
      bytes: 2 * memoryBytes,
      keys: ['export.memory'],
      atBound: 'rows go to the temporary folder',
    },
  ];
}
