import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { UnskewError } from '../../errors.js';

export const CAMPAIGNS = ['all', 'men', 'women'] as const;
export type Campaign = (typeof CAMPAIGNS)[number];

/** The two logged policies: folder, and the model that its lists are by. */
export const POLICIES = [
  { folder: 'bts', model: 'bts', randomized: false },
  { folder: 'random', model: 'uniform', randomized: true },
] as const;

export type Policy = (typeof POLICIES)[number];

/** A policy with its impressions of a campaign. */
export interface PolicyFile {
  readonly policy: Policy;
  readonly path: string;
}

/**
 * The files of a campaign, one for each policy: `bts/men/men.csv` as the data set is published, or
 * `bts/men.csv`.
 *
 * @param asked without it the one campaign that the folder holds for both policies
 * @throws UnskewError FILE if a file is missing; USAGE if several campaigns could be meant
 */
export async function campaignFiles(
  dir: string,
  asked: string | undefined,
): Promise<readonly PolicyFile[]> {
  const held = await Promise.all(
    CAMPAIGNS.map(async (campaign) => ({ campaign, files: await filesOf(dir, campaign) })),
  );
  const whole = held.filter(({ files }) => files.length === POLICIES.length);
  const isAsked = ({ campaign }: { campaign: string }) => campaign === asked;
  const found = asked === undefined ? whole : whole.filter(isAsked);
  if (found.length === 1) return found[0].files;
  const names = whole.map(({ campaign }) => campaign).join(', ');
  if (found.length > 1) {
    throw new UnskewError('USAGE', `${dir} holds the campaigns ${names}: choose by --campaign`);
  }
  // Of what is not whole, what was asked for or was begun tells best what to add.
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
    if (await isFile(inner)) files.push({ policy, path: inner });
    else if (await isFile(outer)) files.push({ policy, path: outer });
  }
  return files;
}

async function isFile(path: string): Promise<boolean> {
  // What is there and cannot be read is for the reader to say.
  return stat(path).then(
    (found) => found.isFile(),
    (error) =>
      (error as NodeJS.ErrnoException).code !== 'ENOENT' &&
      (error as NodeJS.ErrnoException).code !== 'ENOTDIR',
  );
}
