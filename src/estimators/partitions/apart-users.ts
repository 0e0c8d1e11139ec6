import { NumberReader } from '../../state/binary/number-reader.js';
import { NumberWriter } from '../../state/binary/number-writer.js';
import type { PartitionSums } from './rounds.js';

const SHAPE = 0x6865_6176;
const MOST_BYTES = 1 << 24;

/** A user who stands apart, by id. */
export interface ApartUser {
  readonly user: string;
  readonly interactions: number;
}

/** Users who stand apart from all others: how many, and who has most. */
export class ApartUsers implements PartitionSums<ApartUsers> {
  users = 0;
  interactions = 0;
  readonly #most: number;
  #named: ApartUser[] = [];

  /** @param most are named. */
  constructor(most: number) {
    this.#most = most;
  }

  /** Those with most interactions, in the order of interactions and ids. */
  get named(): readonly ApartUser[] {
    return this.#named;
  }

  /** @param user undefined where nobody knows the id. */
  add(user: string | undefined, interactions: number): void {
    this.users++;
    this.interactions += interactions;
    if (user !== undefined) this.#name([{ user, interactions }]);
  }

  ofOthers(): ApartUsers {
    return new ApartUsers(this.#most);
  }

  merge(others: ApartUsers): void {
    this.users += others.users;
    this.interactions += others.interactions;
    this.#name(others.#named);
  }

  encode(): Uint8Array {
    const to = new NumberWriter();
    for (const number of [this.users, this.interactions, this.#named.length]) to.number(number);
    for (const { user, interactions } of this.#named) {
      to.number(interactions);
      to.number(user.length);
      for (let at = 0; at < user.length; at++) to.number(user.charCodeAt(at));
    }
    return to.seal(SHAPE);
  }

  decode(bytes: Uint8Array): ApartUsers {
    const apart = this.ofOthers();
    const from = new NumberReader(bytes, SHAPE, MOST_BYTES);
    apart.users = from.number(0);
    apart.interactions = from.number(0);
    const named: ApartUser[] = [];
    for (let left = from.number(0); left > 0; left--) {
      const [interactions, length] = [from.number(0), from.number(0)];
      let user = '';
      for (let at = 0; at < length; at++) user += String.fromCharCode(from.number(0));
      named.push({ user, interactions });
    }
    apart.#name(named);
    from.finish();
    return apart;
  }

  #name(users: readonly ApartUser[]): void {
    this.#named = [...this.#named, ...users]
      .sort((a, b) => b.interactions - a.interactions || (a.user < b.user ? -1 : 1))
      .slice(0, this.#most);
  }
}
