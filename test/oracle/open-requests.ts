/** A list that comes, in order of time. Ids, models and items are numbers. */
export interface ComingList {
  readonly id: number;
  readonly request: number;
  readonly user: number;
  readonly ts: number;
  readonly model: number;
  readonly share: number;
  readonly items: readonly number[];
  readonly isServed: boolean;
}

export interface ComingClick {
  readonly list: number;
  readonly user: number;
  readonly ts: number;
  readonly item: number;
}

export interface SlowRequest {
  readonly closing: number;
  readonly id: number;
  readonly user: number;
  readonly ts: number;
  lists: { readonly model: number; readonly share: number; readonly items: readonly number[] }[];
  served: { readonly id: number; readonly model: number; readonly rewards: number[] } | undefined;
  fault: string | undefined;
}

/**
 * Open requests as `state/requests` defines them, in one array that is searched from its end.
 * Clicks are worth 1; the depth of an id is its number of leading zeros.
 */
export class SlowOpenRequests {
  readonly faults = new Map<string, number>();
  readonly sampledOut = new Map<number, number>();
  requests: SlowRequest[] = [];
  readonly #horizonMs: number;
  readonly #paneMs: number;
  readonly #limit: number;
  readonly #levels = new Map<number, number>();

  constructor(horizonMs: number, paneMs: number, limit: number) {
    this.#horizonMs = horizonMs;
    this.#paneMs = paneMs;
    this.#limit = limit;
  }

  list({ id, request, user, ts, model, share, items, isServed }: ComingList): void {
    const own = this.#requestOf(request, user, ts, isServed);
    if (own === undefined) return;
    if (own.user !== user) {
      this.#fault('other_user');
      return;
    }
    if (share < 1e-9 && (isServed || share > 0)) own.fault ??= 'share_too_small';
    if (isServed && own.served !== undefined) own.fault ??= 'two_served';
    if (own.lists.some((list) => list.model === model)) {
      own.fault ??= 'repeated_list';
      return;
    }
    own.lists.push({ model, share, items });
    if (isServed) own.served ??= { id, model, rewards: items.map(() => 0) };
  }

  click({ list, user, ts, item }: ComingClick): void {
    const own = this.requests.findLast(({ served }) => served?.id === list);
    if (own === undefined || ts >= own.ts + this.#horizonMs) return;
    if (own.user !== user) {
      this.#fault('other_user');
      return;
    }
    const { items } = own.lists.find(({ model }) => model === own.served!.model)!;
    if (items.includes(item)) own.served!.rewards[items.indexOf(item)] = 1;
  }

  close(pane: number): void {
    this.requests = this.requests.filter(({ closing }) => closing > pane);
  }

  dropModel(gone: number): void {
    for (const each of this.requests) {
      each.lists = each.lists.filter(({ model }) => model !== gone);
      if (each.served?.model === gone) each.served = undefined;
    }
  }

  #requestOf(id: number, user: number, ts: number, isServed: boolean): SlowRequest | undefined {
    const known = this.requests.findLast((each) => each.id === id);
    if (known !== undefined && ts < known.ts + this.#horizonMs) return known;
    const closing = Math.ceil((ts + this.#horizonMs) / this.#paneMs) - 1;
    const own: SlowRequest = {
      closing,
      id,
      user,
      ts,
      lists: [],
      served: undefined,
      fault: undefined,
    };
    const isKept = (each: SlowRequest) =>
      each.closing !== closing || Math.clz32(each.id) >= (this.#levels.get(closing) ?? 0);
    if (isKept(own)) {
      this.requests.push(own);
      let dropped: SlowRequest[] = [];
      while (this.requests.filter((each) => each.closing === closing).length > this.#limit) {
        this.#levels.set(closing, (this.#levels.get(closing) ?? 0) + 1);
        dropped = [...dropped, ...this.requests.filter((each) => !isKept(each))];
        this.requests = this.requests.filter(isKept);
      }
      this.#sampleOut(closing, dropped.filter(({ served }) => served !== undefined).length);
      if (this.requests.includes(own)) return own;
    }
    this.#sampleOut(closing, isServed ? 1 : 0);
    return undefined;
  }

  #sampleOut(closing: number, count: number): void {
    this.sampledOut.set(closing, (this.sampledOut.get(closing) ?? 0) + count);
  }

  #fault(code: string): void {
    this.faults.set(code, (this.faults.get(code) ?? 0) + 1);
  }
}
