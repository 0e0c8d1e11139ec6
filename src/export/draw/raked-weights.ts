import { rake } from '../../sampling/raking.js';
import type { UserRows } from '../../sampling/user-rows.js';
import { runAtOnce } from '../../stream/sliced.js';
import type { SetIds } from '../rows/hashed-ids.js';
import type { PairWeights } from './pair-weights.js';

const SLICE_ROWS = 65_536;

/**
 * Weights of wtd_ipf: every user and every item of the sampled rows carries the same weight.
 *
 * Users and items are numbered by their ids before raking, since its sums round by their order.
 *
 * @param userCounts sampled rows of each user. @param rows visits every sampled row, twice the same.
 */
export async function rakedWeights(
  ids: SetIds,
  userCounts: Float64Array,
  rows: (visit: (user: number, item: number) => void) => Promise<void>,
): Promise<PairWeights & { readonly components: number; readonly isDamped: boolean }> {
  const userPlaces = ids.users.places();
  const itemPlaces = ids.items.places();
  const userStart = new Int32Array(userPlaces.length + 1);
  userCounts.forEach((count, user) => {
    userStart[userPlaces[user] + 1] = count;
  });
  for (let place = 1; place < userStart.length; place++) userStart[place] += userStart[place - 1];
  const item = new Int32Array(userStart[userStart.length - 1]);
  const next = userStart.slice();
  await rows((user, i) => {
    item[next[userPlaces[user]]++] = itemPlaces[i];
  });
  const part: UserRows = { users: userPlaces.length, userStart, item };
  const raking = runAtOnce(rake([part], itemPlaces.length, SLICE_ROWS));
  const [userSide] = raking.userSides;
  return {
    userSide: Float64Array.from(userPlaces, (place) => userSide[place]),
    itemSide: Float64Array.from(itemPlaces, (place) => raking.itemSide[place]),
    components: raking.components,
    isDamped: raking.isDamped,
  };
}
