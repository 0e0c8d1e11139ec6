import type { ExposureEvent, InteractionEvent } from '../events/encode.js';

/** An event of the log with the item index of a positive interaction, −1 for all others. */
export interface SessionEvent {
  readonly ts: number;
  readonly positiveItem: number;
  readonly event: (ExposureEvent | InteractionEvent) & { readonly ts: number };
}

/** The events of one session as they come up: exposures at its start, interactions later. */
export class SessionLog {
  readonly events: SessionEvent[] = [];
  readonly #itemIds: readonly string[];
  readonly #user: string;
  readonly #start: number;
  /** A user has one session at a time, so user and start name it. */
  readonly name: string;
  #interactions = 0;

  constructor(itemIds: readonly string[], user: string, start: number) {
    this.#itemIds = itemIds;
    this.#user = user;
    this.#start = start;
    this.name = `${user}-${start.toString(36)}`;
  }

  /** @returns the exposure's id */
  expose(model: string, list: ArrayLike<number>, flags: ExposureFlags): string {
    const id = `${this.name}-${model}`;
    const ts = this.#start;
    const items = Array.from(list, (item) => this.#itemIds[item]);
    this.events.push({
      ts,
      positiveItem: -1,
      event: { type: 'exposure', id, ts, user: this.#user, model, items, ...flags },
    });
    return id;
  }

  interact(item: number, isPositive: boolean, ts: number, exposure: string | undefined): void {
    this.events.push({
      ts,
      positiveItem: isPositive ? item : -1,
      event: {
        type: 'interaction',
        id: `${this.name}-${this.#interactions++}`,
        ts,
        user: this.#user,
        item: this.#itemIds[item],
        action: isPositive ? 'click' : 'view',
        value: isPositive ? 1 : 0,
        ...(exposure === undefined ? {} : { exposure }),
      },
    });
  }
}

type ExposureFlags = Pick<ExposureEvent, 'shown' | 'randomized' | 'candidates' | OfRequest>;
type OfRequest = 'request' | 'share' | 'depth' | 'propensities' | 'propensityOf';
