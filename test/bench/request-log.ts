import { ActionWorths } from '../../src/events/action-worths.js';
import {
  ExposureColumns,
  HAS_PROPENSITIES,
  HAS_REQUEST,
  InteractionColumns,
  NAMES_EXPOSURE,
  POSITIVE,
  SHOWN,
} from '../../src/events/columns.js';
import { PROPENSITY_KINDS, type PropensityOf } from '../../src/events/field.js';
import { PendingInteractions } from '../../src/state/panes/open-pane.js';
import { PendingExposures } from '../../src/state/panes/pending-exposures.js';
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
/** Examination probability of each position. */
export const LOOKS = Array.from({ length: REQUEST_LIST }, (_, k) => 1 / Math.sqrt(1 + k));

/** Requests of a partition, of which no more than a limit close with a pane. */
export function openRequests(limit: number, horizonMs: number): OpenRequests {
  const worths = new ActionWorths({ click: 1 });
  return new OpenRequests({ horizonMs, paneMs: PANE_MS, worths, limit });
}

/** By what chances requests are served: two arms of one half each where nothing is said. */
export interface RequestChances {
  /** Each request has shares that no other has. */
  readonly ownShares?: boolean;
  /** The first model serves all and logs its propensities, of these; no list has a share. */
  readonly propensityOf?: PropensityOf;
}

/** Makes lists and clicks of requests, the same for the same seed. */
export class RequestLog {
  readonly #random: () => number;
  readonly #chances: RequestChances;
  readonly #rows: ReturnType<typeof scratchRows>;
  #requests = 0;

  constructor(seed: number, chances: RequestChances = {}) {
    this.#random = mulberry32(seed);
    this.#chances = chances;
    this.#rows = scratchRows(chances);
  }

  /** Adds requests of a pane. */
  addTo(open: OpenRequests, pane: number, count: number): void {
    for (let n = 0; n < count; n += 1000) {
      const { exposures, interactions } = this.#batch(pane, Math.min(1000, count - n), n / count);
      open.begin(exposures);
      for (let r = 0; r < exposures.length; r++) open.expose(exposures, r, 0);
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
    const { ownShares, propensityOf } = this.#chances;
    const share = ownShares ? 0.2 + 0.6 * this.#random() : 0.5;
    const shares = propensityOf === undefined ? [share, 1 - share] : [];
    const served = propensityOf !== undefined || this.#random() < share ? 0 : 1;
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
      list.requests.share[0] = shares[model] ?? Number.NaN;
      const logs = isServed && propensityOf !== undefined ? HAS_PROPENSITIES : 0;
      exposures.add(list, 0, HAS_REQUEST | (isServed ? SHOWN : 0) | logs);
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
      if (this.#random() >= FIRST_CLICK * LOOKS[k]!) continue;
      click.item[0] = list.items[k]!;
      interactions.add(click, 0, POSITIVE | NAMES_EXPOSURE);
    }
  }
}

/** One list and one click, written over each time. */
function scratchRows({ propensityOf }: RequestChances) {
  const list = new ExposureColumns(1, REQUEST_LIST);
  list.reserveRequest();
  list.candidates[0] = -1;
  list.listStart[1] = REQUEST_LIST;
  if (propensityOf !== undefined) {
    list.reservePropensities();
    list.requests.propensityOf[0] = PROPENSITY_KINDS.indexOf(propensityOf);
    for (let k = 0; k < REQUEST_LIST; k++) list.propensities[k] = chanceAt(k, propensityOf);
  }
  const click = new InteractionColumns(1);
  click.action[0] = -1;
  return { list, click };
}

/**
 * Of the item at a place: lists begin anywhere among the candidates and go on by any stride, so that
 * each item stands at each place equally often, and the first two settle all others.
 */
function chanceAt(k: number, propensityOf: PropensityOf): number {
  if (propensityOf === 'slot') return 1 / CANDIDATES;
  if (propensityOf === 'item') return LOOKS.reduce((sum, look) => sum + look, 0) / CANDIDATES;
  return [1 / CANDIDATES, 1 / (CANDIDATES - 1)][k] ?? 1;
}
