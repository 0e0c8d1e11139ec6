import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Campaign } from '../../../src/commands/import/open-bandit.js';
import { imported, isExposure, isInteraction } from './imported.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'campaigns-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const HEAD = ',timestamp,item_id,position,click,propensity_score,user_feature_0';

/** An impression each second from `second` on: item, position, click. */
function put(path: string, second: number, rows: readonly (readonly [string, number, number])[]) {
  const lines = rows.map(([item, position, click], i) => {
    const time = `2019-11-24 00:00:${String(second + i).padStart(2, '0')}.5+00:00`;
    return `${i},${time},${item},${position},${click},0.25,x`;
  });
  mkdirSync(dirname(join(folder, path)), { recursive: true });
  writeFileSync(join(folder, path), `${[HEAD, ...lines].join('\n')}\n`);
}

function putCampaign(campaign: Campaign, isPublished: boolean, item: string): void {
  const inner = isPublished ? `${campaign}/` : '';
  put(`bts/${inner}${campaign}.csv`, 10, [
    [item, 3, 1],
    [item, 1, 0],
  ]);
  put(`random/${inner}${campaign}.csv`, 20, [[item, 2, 0]]);
}

async function shownItems(campaign?: Campaign) {
  const { events } = await imported('open-bandit', folder, campaign ? { campaign } : {});
  return events
    .filter(isExposure)
    .filter(({ shown }) => shown !== false)
    .map(({ model, items, firstRank, randomized }) => [model, items[0], firstRank, randomized]);
}

describe('Open Bandit', () => {
  test.each<[Campaign, boolean]>([
    ['all', true],
    ['men', false],
    ['women', true],
    ['women', false],
  ])(
    'reads the campaign %s if it is the only one (published layout: %s), with positions',
    async (campaign, isPublished) => {
      putCampaign(campaign, isPublished, 'a');
      expect(await shownItems()).toEqual([
        ['bts', 'a', 2, undefined],
        ['bts', 'a', 0, undefined],
        ['uniform', 'a', 1, true],
      ]);
    },
  );

  test('reads the requested campaign', async () => {
    putCampaign('men', true, 'm');
    putCampaign('women', false, 'w');
    const items = async (campaign: Campaign) =>
      new Set((await shownItems(campaign)).map(([, item]) => item));
    expect(await items('women')).toEqual(new Set(['w']));
    expect(await items('men')).toEqual(new Set(['m']));
  });

  test('with several campaigns is rejected with how to choose one', async () => {
    putCampaign('men', true, 'm');
    putCampaign('all', true, 'a');
    await expect(shownItems()).rejects.toMatchObject({
      code: 'USAGE',
      message: `${folder} holds the campaigns all, men: choose one with --campaign`,
    });
  });

  test('reports the missing file of a campaign and the campaign that is available', async () => {
    putCampaign('men', true, 'm');
    put('bts/women.csv', 10, [['w', 1, 0]]);
    await expect(shownItems('women')).rejects.toMatchObject({
      code: 'FILE',
      message: expect.stringMatching(
        /random\/women\.csv: no such file; put it there or in .*random\/women, or choose of men$/,
      ),
    });
    // What is whole can be meant alone.
    expect((await shownItems()).length).toBe(3);
  });

  test('has no positions for shadow lists, which rank all items', async () => {
    putCampaign('men', true, 'm');
    const { events } = await imported('open-bandit', folder, { ratio: 0.5 });
    const shadows = events.filter(isExposure).filter(({ shown }) => shown === false);
    expect(shadows.length).toBeGreaterThan(0);
    const ranked = shadows.filter(({ model }) => model !== 'uniform');
    expect(ranked.every(({ firstRank }) => firstRank === undefined)).toBe(true);
    expect(events.filter(isInteraction).length).toBe(1);
  });
});
