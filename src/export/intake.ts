import { pairHash } from '../estimators/interventions/pair-hash.js';
import { type InteractionColumns, RANDOMIZED } from '../events/columns.js';
import type { SetIds } from './hashed-ids.js';
import type { RowStore } from './row-store.js';
import { POSITIVE, RANDOM, TRAIN } from './rows.js';
import type { SetPlan } from './set-plan.js';

/** Intake of a set: it stores the decoded interactions whose event time is in the plan's range. */
export class SetIntake {
  /** Interactions stored. */
  taken = 0;
  /** Interactions not stored, because they are outside the range. */
  outsideRange = 0;
  readonly #from: number;
  readonly #to: number;
  readonly #positiveMinValue: number;
  readonly #actions: Readonly<Record<string, number>>;
  /** By number of an action: whether interactions with this action can be positive. */
  readonly #isWorth: boolean[] = [];
  readonly #halves = new Int32Array(2);

  constructor(
    private readonly store: RowStore,
    private readonly ids: SetIds,
    {
      from,
      to,
      positiveMinValue,
      actions = {},
    }: Pick<SetPlan, 'from' | 'to' | 'positiveMinValue' | 'actions'>,
  ) {
    this.#from = from ?? Number.NEGATIVE_INFINITY;
    this.#to = to ?? Number.POSITIVE_INFINITY;
    this.#positiveMinValue = positiveMinValue;
    this.#actions = actions;
  }

  /**
   * Store the interactions of a batch. @param isTrain whether the rows come from a source of the
   * train part.
   */
  take(columns: InteractionColumns, isTrain: boolean): Promise<void> | void {
    const { users, items } = this.ids;
    const halves = this.#halves;
    for (let r = 0; r < columns.length; r++) {
      const ts = columns.ts[r];
      if (!(ts >= this.#from && ts < this.#to)) {
        this.outsideRange++;
        continue;
      }
      this.taken++;
      const user = columns.user[r];
      const item = columns.item[r];
      const value = columns.value[r];
      pairHash(users.high[user], users.low[user], items.high[item], items.low[item], halves);
      const action = Math.max(0, columns.action[r]);
      const flags =
        ((columns.flags[r] & RANDOMIZED) !== 0 ? RANDOM : 0) |
        (value >= this.#positiveMinValue && this.#isWorthwhile(action) ? POSITIVE : 0) |
        (isTrain ? TRAIN : 0);
      this.store
        .room(halves[0] >>> 24)
        .push(ts, value, user, item, columns.idHigh[r], columns.idLow[r], action, flags);
    }
    if (this.store.isFull) return this.store.spill();
  }

  #isWorthwhile(action: number): boolean {
    let known = this.#isWorth[action];
    if (known === undefined) {
      const name = this.ids.actions.text(action);
      known = !Object.hasOwn(this.#actions, name) || this.#actions[name]! > 0;
      this.#isWorth[action] = known;
    }
    return known;
  }
}
