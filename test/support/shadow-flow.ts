import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from './log.js';
import { messagesOf, ShadowTraffic, type ShadowWorld } from './shadow-traffic.js';
import type { TestTopics } from './topics.js';

const PAUSE_MS = 100;

/** Traffic of now that goes on until it is stopped; users come one after the other, evenly. */
export class ShadowFlow {
  isShifted = false;
  #isOn = true;
  readonly #sent: Promise<void>;

  constructor(topics: TestTopics, world: ShadowWorld, usersPerSecond: number) {
    this.#sent = this.#send(topics, world, usersPerSecond);
  }

  async stop(): Promise<void> {
    this.#isOn = false;
    await this.#sent;
  }

  async #send(topics: TestTopics, world: ShadowWorld, usersPerSecond: number): Promise<void> {
    const traffic = new ShadowTraffic(world);
    let next = Date.now();
    for (let user = 0; this.#isOn; await sleep(PAUSE_MS)) {
      const events: Event[] = [];
      for (; next <= Date.now(); next += 1_000 / usersPerSecond) {
        events.push(...traffic.of(user, Math.floor(next), this.isShifted));
        user = (user + 1) % world.users;
      }
      const { exposure, interaction } = messagesOf(events);
      await topics.send('exposures', exposure);
      await topics.send('interactions', interaction);
    }
  }
}
