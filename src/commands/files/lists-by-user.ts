import { UnskewError } from '../../errors.js';
import { SHOWN } from '../../events/columns.js';
import type { DecoderOptions } from '../../events/decode.js';
import { Interner } from '../../state/ids/interner.js';
import { Outcomes } from '../../stream/outcomes.js';
import type { CommandIo } from '../cli/io.js';
import { EventReader } from './read-events.js';

/** Whose lists are wanted, and what they may name. */
export interface KnownIds {
  readonly userIds: readonly string[];
  readonly itemIds: readonly string[];
}

interface Newest {
  readonly ts: number;
  readonly items: Int32Array;
}

/**
 * Reads the lists that were not shown from an event file, such as `unskew train` writes: of each model
 * a list for each user, the newest where there are several.
 *
 * @param decoder as the configuration has it
 * @returns by model, then by user in the order of `userIds`: items by their number in `itemIds`
 * @throws UnskewError FILE if it cannot be read; FAULTS for an event that is none; EVENTS if it has
 * no list, none of one of the users, or one that names another item
 */
export async function listsByUser(
  path: string,
  { userIds, itemIds }: KnownIds,
  decoder: DecoderOptions,
  maxEventBytes: number,
  io: CommandIo,
): Promise<ReadonlyMap<string, readonly Int32Array[]>> {
  const users = new Interner();
  const ids = { items: new Interner(), models: new Interner() };
  const reader = new EventReader({ decoder, maxEventBytes, ids, users, maxFaults: 0, io });
  const numberOfUser = new Map(userIds.map((id, number) => [id, number]));
  const numberOfItem = new Map(itemIds.map((id, number) => [id, number]));
  const found = new Map<string, (Newest | undefined)[]>();
  const refuse = (what: string): never => {
    throw new UnskewError('EVENTS', `${path}: ${what}`);
  };
  await reader.read([path], new Outcomes(), (_, exposures) => {
    for (let row = 0; row < exposures.length; row++) {
      if ((exposures.flags[row] & SHOWN) !== 0) continue;
      const model = ids.models.text(exposures.model[row]);
      const lists = found.get(model) ?? new Array<Newest | undefined>(userIds.length);
      found.set(model, lists);
      const user = numberOfUser.get(users.text(exposures.user[row]));
      const ts = exposures.ts[row];
      if (user === undefined || ts < (lists[user]?.ts ?? Number.NEGATIVE_INFINITY)) continue;
      const [from, to] = [exposures.listStart[row], exposures.listStart[row + 1]];
      const items = exposures.items.slice(from, to).map((item) => {
        const id = ids.items.text(item);
        return numberOfItem.get(id) ?? refuse(`a list of ${model} names the unknown item ${id}`);
      });
      lists[user] = { ts, items };
    }
  });
  if (found.size === 0) refuse('it has no list that was not shown');
  return new Map(
    [...found].map(([model, lists]) => {
      const missing = userIds.filter((_, user) => lists[user] === undefined);
      if (missing.length > 0) {
        const of = `${missing.length} of ${userIds.length} users, such as ${missing[0]}`;
        refuse(`${model} has no list for ${of}: let it learn from a log of all of them`);
      }
      return [model, lists.map((list) => list!.items)];
    }),
  );
}
