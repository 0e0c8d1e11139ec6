import { ActionWorths } from '../../src/events/action-worths.js';
import {
  ExposureColumns,
  HAS_REQUEST,
  InteractionColumns,
  NAMES_EXPOSURE,
  POSITIVE,
  SHOWN,
} from '../../src/events/columns.js';
import { PendingExposures } from '../../src/state/panes/open/pending-exposures.js';
import { PendingInteractions } from '../../src/state/panes/open/pending-interactions.js';
import { OpenRequests } from '../../src/state/requests/open-requests.js';
import { mulberry32 } from './synthetic-log.js';

export const PANE_MS = 60_000;
/** Two arms with half of the requests each, and two challengers. */
export const REQUEST_MODELS = ['blend', 'personal', 'popular', 'random'];
export const REQUEST_LIST = 10;
/** Items that the lists of a request are made of: a prime, so that each stride visits all of them. */
const CANDIDATES = 23;
const USERS = 100_000;
const ITEMS = 20_000;
/** Chance of a click in the first place; half a click a request then. */
const FIRST_CLICK = 0.12;

/** Requests of a partition, of which no more than a limit close with a pane. */
export function openRequests(limit: number, horizonMs: number): OpenRequests {
  const worths = new ActionWorths({ click: 1 });
  return new OpenRequests({ horizonMs, paneMs: PANE_MS, worths, limit });
}

/** Makes lists and clicks of requests, the same for the same seed. */
export class RequestLog {
  readonly #random: () => number;
  readonly #hasOwnShares: boolean;
  readonly #rows = scratchRows();
  #requests = 0;

  /** @param hasOwnShares whether each request is served by chances that no other has. */
  constructor(seed: number, hasOwnShares = false) {
    this.#random = mulberry32(seed);
    this.#hasOwnShares = hasOwnShares;
  }

  /** Adds requests of a pane. */
  addTo(open: OpenRequests, pane: number, count: number): void {
    for (let n = 0; n < count; n += 1000) {
      const { exposures, interactions } = this.#batch(pane, Math.min(1000, count - n), n / count);
      open.begin(exposures);
      for (let r = 0; r < exposures.length; r++) open.expose(exposures, r);
      for (let r = 0; r < interactions.length; r++) open.credit(interactions, r);
    }
  }

  #batch(pane: number, count: number, through: number) {
    const exposures = new PendingExposures();
    const interactions = new PendingInteractions();
    const ts = Math.floor((pane + through) * PANE_MS);
    for (let n = 0; n < count; n++) this.#add(exposures, interactions, ts);
    return { exposures, interactions };
  }

  #add(exposures: PendingExposures, interactions: PendingInteractions, ts: number): void {
    const user = Math.floor(USERS * this.#random());
    const first = Math.floor(ITEMS * this.#random() ** 3);
    const share = this.#hasOwnShares ? 0.2 + 0.6 * this.#random() : 0.5;
    const shares = [share, 1 - share, Number.NaN, Number.NaN];
    const served = this.#random() < share ? 0 : 1;
    const request = Math.imul(++this.#requests, 0x9e3779b1);
    const { list, click } = this.#rows;
    for (const row of [list, click]) {
      row.user[0] = user;
      row.ts[0] = ts;
    }
    for (let model = 0; model < REQUEST_MODELS.length; model++) {
      this.#draw(first);
      const isServed = model === served;
      list.model[0] = model;
      // The served list has the hash of its request, so that clicks find it.
      list.idHigh[0] = isServed ? request : Math.imul(request + model, 0x85ebca6b);
      list.idLow[0] = ~request;
      list.requests.requestHigh[0] = request;
      list.requests.requestLow[0] = request;
      list.requests.share[0] = shares[model]!;
      exposures.add(list, 0, HAS_REQUEST | (isServed ? SHOWN : 0));
      if (isServed) this.#click(interactions, request);
    }
  }

  /** Items of a list, without repeats. */
  #draw(first: number): void {
    const step = 1 + Math.floor((CANDIDATES - 1) * this.#random());
    const from = Math.floor(CANDIDATES * this.#random());
    const { items } = this.#rows.list;
    for (let k = 0; k < REQUEST_LIST; k++) items[k] = first + ((from + k * step) % CANDIDATES);
  }

  #click(interactions: PendingInteractions, request: number): void {
    const { list, click } = this.#rows;
    click.exposureHigh[0] = request;
    click.exposureLow[0] = ~request;
    for (let k = 0; k < REQUEST_LIST; k++) {
      if (this.#random() >= FIRST_CLICK / Math.sqrt(1 + k)) continue;
      click.item[0] = list.items[k]!;
      interactions.add(click, 0, POSITIVE | NAMES_EXPOSURE);
    }
  }
}

/** One list and one click, written over each time. */
function scratchRows() {
  const list = new ExposureColumns(1, REQUEST_LIST);
  list.reserveRequest();
  list.candidates[0] = -1;
  list.listStart[1] = REQUEST_LIST;
  const click = new InteractionColumns(1);
  click.action[0] = -1;
  return { list, click };
}
