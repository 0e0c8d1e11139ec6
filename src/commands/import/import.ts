import { join, resolve } from 'node:path';
import { openLineWriter } from '../../adapters/files/line-writer.js';
import { readLines } from '../../adapters/files/lines.js';
import { UnskewError } from '../../errors.js';
import { EventFiles, type Part } from '../files/event-files.js';
import { importCoat, paddedId } from './coat.js';
import { ModelLists } from './model-lists.js';
import { importMovieLens } from './movielens.js';
import { CAMPAIGNS, type Campaign, importOpenBandit } from './open-bandit.js';
import type { ImportTask } from './task.js';
import { checkSplit, type SplitOptions } from './task.js';

/** File name and id prefix for features of users and of items. */
const SIDES = {
  users: ['user', 'u'],
  items: ['item', 'i'],
} as const;

/**
 * Write the features of Coat's users or items as a table: the id, then a 0/1 column for each
 * feature under its published name. Ids match the imported events.
 *
 * @throws UnskewError FILE, with file and line, if a file is missing or malformed.
 */
export async function writeCoatFeatures(
  dir: string,
  side: keyof typeof SIDES,
  path: string,
): Promise<void> {
  const [name, prefix] = SIDES[side];
  const names = await linesOf(join(dir, `${name}_features_map.txt`));
  const file = join(dir, `${name}_features.ascii`);
  const rows = await linesOf(file);
  const idOf = paddedId(prefix, rows.length);
  const table = rows.map((row, index) => {
    const cells = row.split(/\s+/);
    if (cells.length === names.length && cells.every((cell) => /^[01]$/.test(cell))) {
      return `${idOf(index)},${cells.join(',')}`;
    }
    throw new UnskewError('FILE', `${file}:${index + 1}: expected ${names.length} times 0 or 1`);
  });
  const out = await openLineWriter(path);
  await out.write(['id', ...names].join(','));
  for (const line of table) {
    await out.write(line);
  }
  await out.close();
}

/** Read the lines of a file without surrounding blanks; empty lines are skipped. */
async function linesOf(path: string): Promise<string[]> {
  const lines: string[] = [];
  await readLines(path, (bytes, start, end) => {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset + start, end - start).toString('utf8');
    if (text.trim() !== '') {
      lines.push(text.trim());
    }
  });
  if (lines.length === 0) throw new UnskewError('FILE', `${path}: the file is empty`);
  return lines;
}

export const DATASETS = ['coat', 'movielens', 'open-bandit'] as const;
export type DatasetName = (typeof DATASETS)[number];

export interface ImportOptions extends SplitOptions {
  /** Path of the event file to write; compressed if it ends in `.gz`. */
  readonly out: string;
  /** Path of the event file for the train part; `out` by default. */
  readonly trainOut?: string;
  /** Longest list of the two rankers; by default 100 for movielens, otherwise all candidates. */
  readonly listLength?: number;
  /** Model files of `unskew train`, whose lists are added to those of the two rankers. */
  readonly models?: readonly string[];
  /** Path of the propensities file that one of the models was learned with. */
  readonly propensities?: string;
  /**
   * Only for coat: path for the table of features of users; `itemFeatures` is the path for items.
   */
  readonly userFeatures?: string;
  readonly itemFeatures?: string;
  /** Only for open-bandit: the campaign to import; by default the only one in the folder. */
  readonly campaign?: Campaign;
}

interface Dataset {
  readonly defaultListLength: number;
  readonly splits: readonly NonNullable<SplitOptions['split']>[];
  /** Whether the data set has ratings by users, so that a learned model can rank for them. */
  readonly hasRatings: boolean;
  run(task: ImportTask): Promise<void>;
}

const MAX_LIST_LENGTH = 10_000;

const IMPORTERS: Readonly<Record<DatasetName, Dataset>> = {
  coat: {
    defaultListLength: MAX_LIST_LENGTH,
    splits: ['given'],
    hasRatings: true,
    run: importCoat,
  },
  movielens: {
    defaultListLength: 100,
    splits: ['time', 'hash'],
    hasRatings: true,
    run: importMovieLens,
  },
  'open-bandit': {
    defaultListLength: MAX_LIST_LENGTH,
    splits: ['time', 'hash'],
    hasRatings: false,
    run: importOpenBandit,
  },
};

/**
 * Convert a public data set to events in event-time order, with the lists of two simple rankers
 * (`popularity` and `mean-rating`) to evaluate, and those of learned models.
 *
 * @param dir the folder with the data set's files as they are published
 * @returns number of events in each part
 * @throws UnskewError USAGE for options that do not fit the data set; FILE, with file and line, if
 * a file is missing or malformed; EVENTS for a rating for which a model has no propensity
 */
export async function importDataset(
  name: DatasetName,
  dir: string,
  options: ImportOptions,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<Readonly<Record<Part, number>>> {
  const dataset = IMPORTERS[name];
  if (dataset === undefined) {
    throw new UnskewError('USAGE', `unknown data set ${name}, expected ${DATASETS.join(', ')}`);
  }
  checkCampaign(name, options.campaign);
  const split = checkSplit(name, options, dataset.splits);
  const listLength = options.listLength ?? dataset.defaultListLength;
  if (!Number.isInteger(listLength) || listLength < 1 || listLength > MAX_LIST_LENGTH) {
    throw new UnskewError(
      'USAGE',
      `list length is ${listLength}, expected a whole number from 1 to ${MAX_LIST_LENGTH}`,
    );
  }
  if (options.trainOut !== undefined && resolve(options.trainOut) === resolve(options.out)) {
    throw new UnskewError(
      'USAGE',
      `the train part and the events cannot both go to ${options.out}`,
    );
  }
  const { models: paths = [], propensities } = options;
  const written = [options.out, ...(options.trainOut === undefined ? [] : [options.trainOut])];
  const lost = paths.find((path) => written.some((each) => resolve(each) === resolve(path)));
  if (lost !== undefined) {
    throw new UnskewError('USAGE', `events would overwrite the model ${lost}`);
  }
  if (paths.length > 0 && !dataset.hasRatings) {
    throw new UnskewError('USAGE', `${name} has no ratings of users that a model could use`);
  }
  const models = await ModelLists.open(paths, propensities, listLength);
  const tables = {
    users: options.userFeatures,
    items: options.itemFeatures,
  } as const;
  for (const side of ['users', 'items'] as const) {
    const path = tables[side];
    if (path === undefined) continue;
    if (name !== 'coat') {
      throw new UnskewError('USAGE', `${name} has no features of ${side}: leave their table out`);
    }
    await writeCoatFeatures(dir, side, path);
  }
  return EventFiles.fill(options.out, options.trainOut, async (files) => {
    const { campaign } = options;
    await dataset.run({
      dir,
      campaign,
      files,
      split,
      listLength,
      models,
      onProgress,
    });
    models.checkUsed();
    return files.counts;
  });
}

function checkCampaign(name: DatasetName, campaign: string | undefined): void {
  if (campaign === undefined) return;
  if (name !== 'open-bandit') {
    throw new UnskewError('USAGE', `${name} has no campaigns: leave the campaign out`);
  }
  if (!(CAMPAIGNS as readonly string[]).includes(campaign)) {
    throw new UnskewError(
      'USAGE',
      `unknown campaign ${campaign}, expected ${CAMPAIGNS.join(', ')}`,
    );
  }
}
