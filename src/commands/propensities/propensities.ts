import { setImmediate as nextTurn } from 'node:timers/promises';
import { openLineWriter } from '../../adapters/files/line-writer.js';
import { UnskewError } from '../../errors.js';
import type { NaiveBayesFile } from '../../estimators/propensity/propensity-file.js';
import type { CommandIo } from '../cli/io.js';
import { figuresOf } from './diagnose.js';
import { featureRows } from './feature-rows.js';
import { type LearnedLogistic, learnLogistic, type SideFeatures } from './learn-logistic.js';
import { canCount, learnNaiveBayes } from './learn-naive-bayes.js';
import type { PropensityOptions } from './options.js';
import { propensityTable } from './propensity-table.js';
import type { RatingSample } from './rating-sample.js';
import { readRatings } from './read-ratings.js';
import { readTable } from './read-table.js';
import { type StoredPropensities, stamped, writePropensities } from './stored-propensities.js';

/**
 * `unskew propensities`: the chance that a rating is observed, learned from event files and tables
 * of features. A fit that does not come to an end writes nothing, and leaves the file of before.
 */
export async function propensities(options: PropensityOptions, io: CommandIo): Promise<void> {
  await refuseUnwritable(options.out);
  const [userTable, itemTable] = await Promise.all([
    options.userFeatures === undefined ? undefined : readTable(options.userFeatures),
    options.itemFeatures === undefined ? undefined : readTable(options.itemFeatures),
  ]);
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

/** Said before the work and not after it. */
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
  // The other kind too, for comparison, if there is what it takes.
  if (kind === 'nb' || canCount(sample)) nb = learnNaiveBayes(sample, smoothing);
  if (kind === 'lr' || hasTable) lr = await learnLogistic(sample, features, logistic, seed, pause);
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
