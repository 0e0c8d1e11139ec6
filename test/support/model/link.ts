import type { Direction } from '../tcp-proxy.js';

/** How long one way takes at most where nothing is wrong, ms. */
const LONGEST_MS = 40;
/** Share of the ways that take any time at all: timers are what a run in virtual time takes long for. */
const SLOW = 0.3;

/** Lets all pass or nobody; those outside wait. */
export class Gate {
  #closed = 0;
  #waiting: (() => void)[] = [];

  async pass(): Promise<void> {
    while (this.#closed > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }

  /** Closes it; it opens when all who closed it have said so. */
  close(): () => void {
    this.#closed++;
    return () => {
      if (--this.#closed > 0) return;
      for (const go of this.#waiting.splice(0)) go();
    };
  }
}

/** What lies between one worker and one service: its connections go through it, and are cut together. */
export class Cable {
  readonly requests = new Gate();
  readonly answers = new Gate();
  readonly random: () => number;
  /** What abandons what is under way, and when that is due. */
  readonly pending = new Map<() => void, number>();
  isRefused = false;
  isDead = false;

  constructor(random: () => number) {
    this.random = random;
  }

  /** Nothing passes that way, and neither end notices; @returns what repairs it */
  cut(direction: Direction): () => void {
    const opens: (() => void)[] = [];
    if (direction !== 'answers') opens.push(this.requests.close());
    if (direction !== 'requests') opens.push(this.answers.close());
    return () => {
      for (const open of opens) open();
    };
  }

  /** Connections end, and no new one begins; @returns what repairs it */
  refuse(): () => void {
    this.isRefused = true;
    for (const giveUp of [...this.pending.keys()]) giveUp();
    return () => {
      this.isRefused = false;
    };
  }

  /** Gives up what has waited for too long. */
  look(): void {
    const now = Date.now();
    for (const [giveUp, due] of [...this.pending]) if (due <= now) giveUp();
  }

  /** The worker is no more: nobody waits for an answer, but what was sent may still be done. */
  die(): void {
    this.isDead = true;
  }
}

/** One connection: requests come in order, are done in order, and are answered in order. */
export class Link {
  readonly #cable: Cable;
  readonly #timeoutMs: number;
  #lastDone: Promise<unknown> = Promise.resolve();
  #lastAnswer: Promise<unknown> = Promise.resolve();

  constructor(cable: Cable, timeoutMs: number) {
    this.#cable = cable;
    this.#timeoutMs = timeoutMs;
  }

  /**
   * What is sent and abandoned may be done later.
   *
   * @throws Lost where no answer comes in time, or the connection ends
   */
  ask<T>(serve: () => T | Promise<T>): Promise<T> {
    const cable = this.#cable;
    return new Promise<T>((resolve, reject) => {
      const settle = (end: () => void) => {
        cable.pending.delete(giveUp);
        if (!cable.isDead) end();
      };
      const giveUp = () => settle(() => reject(new Lost('no answer')));
      if (cable.isRefused) {
        setTimeout(giveUp, LONGEST_MS);
        return;
      }
      cable.pending.set(giveUp, Date.now() + this.#timeoutMs);
      const done = this.#lastDone.then(() => this.#served(serve));
      this.#lastDone = done.catch(() => {});
      const answered = Promise.allSettled([this.#lastAnswer, done]).then(async () => {
        await this.#pause();
        await cable.answers.pass();
      });
      this.#lastAnswer = answered;
      void answered
        .then(() => done)
        .then(
          (answer) => settle(() => resolve(answer)),
          (error) => settle(() => reject(error)),
        );
    });
  }

  async #served<T>(serve: () => T | Promise<T>): Promise<T> {
    await this.#cable.requests.pass();
    await this.#pause();
    // What a dead worker has sent may have come through or not.
    if (this.#cable.isDead && this.#cable.random() < 0.5) return new Promise<T>(() => {});
    return serve();
  }

  async #pause(): Promise<void> {
    const { random } = this.#cable;
    if (random() < SLOW) await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_MS));
  }
}

class Lost extends Error {}
