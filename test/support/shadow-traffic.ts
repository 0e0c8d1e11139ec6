import type { Message } from 'kafkajs';
import { encodeEvent } from '../../src/events/encode.js';
import { Random } from '../../src/simulation/random.js';
import type { Event } from './log.js';

/** Users of two tastes who rate items, and what is shown to them. */
export interface ShadowWorld {
  readonly users: number;
  readonly items: number;
  readonly seed: number;
}

export const itemName = (item: number) => `i${String(item).padStart(4, '0')}`;

/** Whether a user likes an item: even users even items, and the other way round after a shift. */
export const isLiked = (user: number, item: number, isShifted: boolean) =>
  ((user + item) % 2 === 0) !== isShifted;

/**
 * Traffic whose tastes may shift: each user is given a list, rates an item of it that suits, which
 * is mostly one of their taste, and now and then one that was drawn at random.
 */
export class ShadowTraffic {
  readonly #world: ShadowWorld;
  readonly #random: Random;
  #number = 0;

  constructor(world: ShadowWorld) {
    this.#world = world;
    this.#random = new Random(world.seed, 'shadow traffic');
  }

  /** One list and one or two ratings of each user, at the time. */
  round(ts: number, isShifted: boolean): Event[] {
    const { users } = this.#world;
    return Array.from({ length: users }, (_, user) => this.of(user, ts, isShifted)).flat();
  }

  /** The same of one user. */
  of(user: number, ts: number, isShifted: boolean): Event[] {
    const { items } = this.#world;
    const n = this.#number++;
    const name = `u${user}`;
    const drawn = () => Math.floor(this.#random.next() * items);
    let chosen = drawn();
    for (let more = 0; more < 3 && !isLiked(user, chosen, isShifted); more++) chosen = drawn();
    const rate = (item: number) =>
      (isLiked(user, item, isShifted) ? 4 : 1) + (this.#random.next() < 0.5 ? 1 : 0);
    const list = [...new Set([chosen, ...Array.from({ length: 9 }, drawn)])];
    const rating = (id: string, item: number): Event => ({
      ...{ type: 'interaction', id, ts, user: name, item: itemName(item), value: rate(item) },
    });
    const events: Event[] = [
      { type: 'exposure', id: `e${n}`, ts, user: name, model: 'live', items: list.map(itemName) },
      rating(`x${n}`, chosen),
    ];
    if (n % 3 === 0) {
      const item = drawn();
      events.push({ ...rating(`r${n}`, item), randomized: true } as Event);
    }
    return events;
  }
}

/** As records, by topic. */
export function messagesOf(events: readonly Event[]): Record<Event['type'], Message[]> {
  const messages: Record<Event['type'], Message[]> = { exposure: [], interaction: [] };
  for (const event of events) {
    messages[event.type].push({ key: event.user, value: encodeEvent(event) });
  }
  return messages;
}
