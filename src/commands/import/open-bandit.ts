import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UnskewError } from '../../errors.js';
import { Random } from '../../estimators/mathematics/random.js';
import { type CsvRow, readPublished } from './csv.js';
import { ItemRatings, RANKER_MODELS } from './item-ratings.js';
import type { ImportTask } from './task.js';
import { heldOut } from './task.js';

export const CAMPAIGNS = ['all', 'men', 'women'] as const;
export type Campaign = (typeof CAMPAIGNS)[number];

/** The two logged policies: folder and model name. */
export const POLICIES = [
  {
    folder: 'bts',
    model: 'bts',
    randomized: false,
  },
  {
    folder: 'random',
    model: 'uniform',
    randomized: true,
  },
] as const;

export type Policy = (typeof POLICIES)[number];

/** A policy with its file of impressions for a campaign. */
export interface PolicyFile {
  readonly policy: Policy;
  readonly path: string;
}

/**
 * Find the files of a campaign, one per policy: `bts/men/men.csv` as published, or `bts/men.csv`.
 *
 * @param asked the campaign to find; by default the only one with files of both policies
 * @throws UnskewError FILE if a file is missing; USAGE if there are several campaigns
 */
export async function campaignFiles(
  dir: string,
  asked: string | undefined,
): Promise<readonly PolicyFile[]> {
  const held = await Promise.all(
    CAMPAIGNS.map(async (campaign) => ({
      campaign,
      files: await filesOf(dir, campaign),
    })),
  );
  const whole = held.filter(({ files }) => files.length === POLICIES.length);
  const isAsked = ({ campaign }: { campaign: string }) => campaign === asked;
  const found = asked === undefined ? whole : whole.filter(isAsked);
  if (found.length === 1) return found[0].files;
  const names = whole.map(({ campaign }) => campaign).join(', ');
  if (found.length > 1) {
    throw new UnskewError(
      'USAGE',
      `${dir} holds the campaigns ${names}: choose one with --campaign`,
    );
  }
  // Among incomplete campaigns, the requested or begun one shows best which files are missing.
  const begun = held.find(asked === undefined ? ({ files }) => files.length > 0 : isAsked);
  const campaign = begun?.campaign ?? 'men';
  const { folder } = POLICIES.find(
    (policy) => !begun?.files.some((file) => file.policy === policy),
  ) as Policy;
  const instead = names === '' ? '' : `, or choose of ${names}`;
  throw new UnskewError(
    'FILE',
    `${join(dir, folder, `${campaign}.csv`)}: no such file; put it there or in ${join(dir, folder, campaign)}${instead}`,
  );
}

async function filesOf(dir: string, campaign: Campaign): Promise<PolicyFile[]> {
  const files: PolicyFile[] = [];
  for (const policy of POLICIES) {
    const name = `${campaign}.csv`;
    const inner = join(dir, policy.folder, campaign, name);
    const outer = join(dir, policy.folder, name);
    if (await isFile(inner)) {
      files.push({
        policy,
        path: inner,
      });
    } else if (await isFile(outer)) {
      files.push({
        policy,
        path: outer,
      });
    }
  }
  return files;
}

async function isFile(path: string): Promise<boolean> {
  // If the path exists but cannot be read, the reader reports it.
  return stat(path).then(
    (found) => found.isFile(),
    (error) =>
      (error as NodeJS.ErrnoException).code !== 'ENOENT' &&
      (error as NodeJS.ErrnoException).code !== 'ENOTDIR',
  );
}

const COLUMNS = ['timestamp', 'item_id', 'position', 'click', 'propensity_score'] as const;

/** Number of positions on the page. */
const PLACES = 3;

interface Impression {
  readonly id: string;
  /** Event time in whole ms; `micros` is the remainder, for the order. */
  readonly ts: number;
  readonly micros: number;
  readonly policy: Policy;
  readonly item: string;
  readonly isClicked: boolean;
  readonly propensity: number;
  /** Position on the page, from 0. */
  readonly rank: number;
}

/**
 * Import one campaign of the Open Bandit Dataset (Saito et al. 2021) under two policies.
 *
 * Each row is an impression of one item at one of three positions on the page, by an anonymous
 * user. It becomes an exposure of one item with its position (`firstRank`) and its propensity at
 * that position. If the item was clicked, the row also becomes an interaction, attributed to the
 * exposure by id. The data set logs neither the items at the other positions nor which impressions
 * belong to one page. So each impression is a request with one position. How the two policies
 * shared the traffic is not published, so lists have no share, and values depend on propensities.
 *
 * Further exposures are shadow lists of the same request. For each item that Thompson sampling
 * (`bts`) chose, there is a list with one item that `uniform` might have shown, drawn from all
 * items. The data set does not publish which item `bts` would have chosen instead of a uniform one.
 * For each held-out impression, there are also lists of all items by the two simple rankers,
 * trained on the clicks of the train part.
 */
export async function importOpenBandit(task: ImportTask): Promise<void> {
  const files = await campaignFiles(task.dir, task.campaign);
  const impressions: Impression[] = [];
  // Read one file after the other, so that the same one of several errors is reported every time.
  for (const file of files) {
    impressions.push(...(await readImpressions(file)));
  }
  impressions.sort((a, b) => a.ts - b.ts || a.micros - b.micros);
  const items = [...new Set(impressions.map(({ item }) => item))].sort();
  const index = new Map(items.map((id, i) => [id, i]));
  const isHeldOut = heldOut(impressions, task.split);
  const rewards = new ItemRatings(items.length, 0, 1);
  for (const [i, { item, isClicked }] of impressions.entries()) {
    if (!isHeldOut[i]) {
      rewards.add(index.get(item) as number, isClicked ? 1 : 0);
    }
  }
  const lists = RANKER_MODELS.map((model) => ({
    type: 'exposure' as const,
    model,
    items: rewards.rank(model, [...items.keys()], task.listLength).map((item) => items[item]),
    shown: false,
    candidates: items.length,
    depth: PLACES,
  }));
  const random = new Random(0, 'open bandit');
  for (const [i, impression] of impressions.entries()) {
    const drawn = impression.policy.randomized ? [] : [drawnList(impression, items, random)];
    const others = isHeldOut[i] ? [...lists, ...drawn] : drawn;
    await writeImpression(task, impression, others, isHeldOut[i], items.length);
    task.onProgress(i + 1, impressions.length);
  }
}

interface ShadowList {
  readonly type: 'exposure';
  readonly model: string;
  readonly items: string[];
  readonly shown: boolean;
  readonly candidates: number;
  readonly depth: number;
  readonly firstRank?: number;
  readonly randomized?: boolean;
}

/** Draw a list that the uniform policy might have shown at the position of an impression. */
function drawnList({ rank }: Impression, items: readonly string[], random: Random): ShadowList {
  return {
    type: 'exposure',
    model: 'uniform',
    items: [items[random.below(items.length)]],
    shown: false,
    randomized: true,
    candidates: items.length,
    depth: 1,
    firstRank: rank,
  };
}

/** Write an impression as events, with shadow lists for the same request. */
async function writeImpression(
  { files }: ImportTask,
  { id, ts, policy, item, propensity, rank, isClicked }: Impression,
  lists: readonly ShadowList[],
  isHeldOut: boolean,
  candidates: number,
): Promise<void> {
  const part = isHeldOut ? 'events' : 'train';
  // Every impression has a separate user with the same id.
  const user = id;
  await files.write(part, {
    type: 'exposure',
    id,
    ts,
    user,
    model: policy.model,
    items: [item],
    ...(policy.randomized ? { randomized: true } : {}),
    candidates,
    propensities: [propensity],
    firstRank: rank,
    request: id,
    depth: 1,
    propensityOf: 'slot',
  });
  for (const list of lists) {
    await files.write(part, {
      ...list,
      id: `${id}-${list.model}`,
      ts,
      user,
      request: id,
    });
  }
  if (!isClicked) return;
  await files.write(part, {
    type: 'interaction',
    id: `${id}-click`,
    ts,
    user,
    item,
    action: 'click',
    value: 1,
    exposure: id,
  });
}

async function readImpressions({ policy, path }: PolicyFile): Promise<Impression[]> {
  const found: Impression[] = [];
  await readPublished(path, COLUMNS, (row) => {
    const { ts, micros } = time(row);
    const position = row.number('position', 1, PLACES);
    if (!Number.isInteger(position)) {
      row.refuse('position is not a whole number');
    }
    const click = row.number('click', 0, 1);
    if (!Number.isInteger(click)) {
      row.refuse('click is neither 0 nor 1');
    }
    const propensity = row.number('propensity_score', 0, 1);
    if (propensity === 0) {
      row.refuse('propensity_score is 0 for an item that was shown');
    }
    found.push({
      id: `ob-${policy.model}-${found.length}`,
      ts,
      micros,
      policy,
      item: row.text('item_id'),
      isClicked: click === 1,
      propensity,
      rank: position - 1,
    });
  });
  if (found.length === 0) throw new UnskewError('FILE', `${path}: there are no impressions`);
  return found;
}

const TIME = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?\+00:00$/;

/**
 * Parse a time such as `2019-11-24 00:01:03.979311+00:00` to whole milliseconds and the remaining
 * microseconds.
 */
function time(row: CsvRow<(typeof COLUMNS)[number]>): {
  ts: number;
  micros: number;
} {
  const text = row.text('timestamp');
  const match = TIME.exec(text);
  const second = match === null ? Number.NaN : Date.parse(`${match[1]}T${match[2]}Z`);
  if (match === null || Number.isNaN(second)) {
    return row.refuse(
      `timestamp is ${JSON.stringify(text)}, expected 2019-11-24 00:01:03.979311+00:00`,
    );
  }
  const micros = Number((match[3] ?? '').padEnd(6, '0'));
  return {
    ts: second + Math.floor(micros / 1000),
    micros: micros % 1000,
  };
}
