import { setImmediate as nextTurn } from 'node:timers/promises';
import { openLineWriter } from '../../adapters/files/line-writer.js';
import { UnskewError } from '../../errors.js';
import { naiveBayesPropensity } from '../../estimators/propensity/naive-bayes.js';
import type { NaiveBayesFile } from '../../estimators/propensity/propensity-file.js';
import { Pseudonyms } from '../../events/pseudonyms.js';
import type { CommandIo } from '../cli/io.js';
import { figuresOf } from './diagnose.js';
import { type LearnedLogistic, learnLogistic, type SideFeatures } from './learn-logistic.js';
import type { PropensityOptions } from './options.js';
import { propensityTable } from './propensity-table.js';
import { type RatingSample, readRatings } from './read-ratings.js';
import { featureRows, readTable, type Table } from './read-table.js';
import { type StoredPropensities, stamped, writePropensities } from './stored-propensities.js';

/**
 * Most distinct values of ratings. With more values, the rating scale counts as continuous, and
 * counts by value are useless.
 */
const MOST_VALUES = 100;

/**
 * Whether naive Bayes is possible: it needs random ratings, and 2 to 100 different values.
 */
function canCount({ chosen, random }: RatingSample): boolean {
  const values = new Set([...chosen.rating, ...random.rating]).size;
  return random.rating.length > 0 && values > 1 && values <= MOST_VALUES;
}

/**
 * Estimate P(O | r), the probability that a rating of value r is observed, by naive Bayes, from
 * ratings that users chose to give and ratings of randomly drawn items.
 *
 * @param smoothing κ, number of random ratings added to each value.
 * @throws UnskewError EVENTS without ratings of randomly drawn items, with a single value, and with
 * more than 100; USAGE if κ is 0 and a value was not drawn.
 */
function learnNaiveBayes(sample: RatingSample, smoothing: number): NaiveBayesFile {
  const { chosen, random, users, items } = sample;
  if (random.rating.length === 0) {
    throw new UnskewError(
      'EVENTS',
      '--kind nb needs ratings of randomly drawn items: interactions with randomized: true, or files given with --randomized',
    );
  }
  const ratings = [...new Set([...chosen.rating, ...random.rating])].sort((a, b) => a - b);
  if (ratings.length < 2 || ratings.length > MOST_VALUES) {
    throw new UnskewError(
      'EVENTS',
      `--kind nb needs ratings of 2 to ${MOST_VALUES} different values, found ${ratings.length}`,
    );
  }
  const counts = ({ rating }: { rating: Float64Array }) => {
    const byValue = new Map(ratings.map((value) => [value, 0]));
    for (const value of rating) {
      byValue.set(value, byValue.get(value)! + 1);
    }
    return [...byValue.values()];
  };
  const n = counts(chosen);
  const m = counts(random);
  const unknown = ratings.find((_, r) => n[r] > 0 && m[r] === 0);
  if (smoothing === 0 && unknown !== undefined) {
    throw new UnskewError(
      'USAGE',
      `no randomly drawn item was rated ${unknown}, so the propensity of this rating is unknown: give --smoothing above 0`,
    );
  }
  const propensity = naiveBayesPropensity(n, m, users.length * items.length, smoothing);
  return {
    kind: 'nb',
    smoothing,
    values: ratings.map((rating, r) => ({
      rating,
      chosen: n[r],
      random: m[r],
      propensity: propensity[r],
    })),
  };
}

/**
 * `unskew propensities`: learn the probability that a rating is observed, from event files and
 * tables of features. A fit that does not converge writes nothing and keeps an existing file.
 */
export async function propensities(options: PropensityOptions, io: CommandIo): Promise<void> {
  await refuseUnwritable(options.out);
  const { userFeatures, itemFeatures } = options;
  // Read one table after the other, so that the same one of two errors is reported every time.
  const userTable = userFeatures === undefined ? undefined : await readUsers(userFeatures, options);
  const itemTable = itemFeatures === undefined ? undefined : await readTable(itemFeatures);
  const known = {
    users: [...(userTable?.rows.keys() ?? [])],
    items: [...(itemTable?.rows.keys() ?? [])],
  };
  const sample = await readRatings(options, known, io);
  const features = {
    users: userTable && featureRows(userTable, sample.users, 'users'),
    items: itemTable && featureRows(itemTable, sample.items, 'items'),
  };
  const stored = await learn(sample, features, options, io);
  await writePropensities(options.out, stored);
  io.stdout(options.json ? `${JSON.stringify(stored)}\n` : propensityTable(stored, options.out));
}

/**
 * Read the table of user features. The ids in the table get pseudonyms under the newest key, as the
 * users of events do.
 */
async function readUsers(path: string, { config }: PropensityOptions): Promise<Table> {
  const table = await readTable(path);
  const keys = config.events.pseudonyms;
  if (keys === undefined) return table;
  const pseudonyms = new Pseudonyms(keys);
  const rows = [...table.rows].map(
    ([id, row]) => [pseudonyms.of(id, Number.POSITIVE_INFINITY), row] as const,
  );
  return {
    ...table,
    rows: new Map(rows),
  };
}

/** Reject a path that cannot be written before the work, not after it. */
async function refuseUnwritable(path: string): Promise<void> {
  await (await openLineWriter(path)).abort();
}

async function learn(
  sample: RatingSample,
  features: SideFeatures,
  options: PropensityOptions,
  io: CommandIo,
): Promise<StoredPropensities> {
  const { kind, logistic, smoothing, seed } = options;
  const hasTable = features.users !== undefined || features.items !== undefined;
  const pause = async () => {
    await nextTurn();
    if (io.signal.aborted) throw new UnskewError('INTERRUPTED', 'interrupted');
  };
  let nb: NaiveBayesFile | undefined;
  let lr: LearnedLogistic | undefined;
  // Learn the other kind too, for comparison, if its data are there.
  if (kind === 'nb' || canCount(sample)) {
    nb = learnNaiveBayes(sample, smoothing);
  }
  if (kind === 'lr' || hasTable) {
    lr = await learnLogistic(sample, features, logistic, seed, pause);
  }
  const [model, other] = kind === 'nb' ? [nb!, lr?.model] : [lr!.model, nb];
  return stamped({
    kind,
    date: new Date(sample.newestTs).toISOString(),
    counts: {
      users: sample.users.length,
      items: sample.items.length,
      pairs: sample.users.length * sample.items.length,
      chosen: sample.chosen.rating.length,
      random: sample.random.rating.length,
    },
    figures: figuresOf(sample, model, kind === 'lr' ? lr!.figures : null, other),
    model,
  });
}
