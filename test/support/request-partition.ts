import { ActionWorths } from '../../src/events/action-worths.js';
import {
  ExposureColumns,
  HAS_PROPENSITIES,
  HAS_REQUEST,
  InteractionColumns,
  NAMES_EXPOSURE,
  POSITIVE,
  RANDOMIZED,
  SHOWN,
} from '../../src/events/columns.js';
import { PROPENSITY_KINDS, type PropensityOf } from '../../src/events/field.js';
import type { PaneContent } from '../../src/state/panes/pane-content.js';
import { PartitionState } from '../../src/state/panes/partition.js';
import type { PaneLimits } from '../../src/state/panes/sample-level.js';
import { runAtOnce } from '../../src/stream/sliced.js';

/** A list; requests, users, items and models are numbers. */
export interface GivenList {
  readonly id: number;
  readonly ts: number;
  readonly items: readonly number[];
  readonly request?: number;
  readonly model?: number;
  readonly user?: number;
  readonly share?: number;
  readonly depth?: number;
  readonly firstRank?: number;
  readonly isServed?: boolean;
  readonly flags?: number;
  /** With it the list was drawn at random from so many items; from nobody knows how many with 0. */
  readonly drawnFrom?: number;
  /** By what chances its items were shown, and what they are chances of. */
  readonly propensities?: readonly number[];
  readonly propensityOf?: PropensityOf;
}

export const PANE_MS = 100;

/** A partition with panes of 100 ms that joins requests for a while, 250 ms if left out. */
export class RequestPartition {
  readonly state: PartitionState;

  constructor(horizonMs = 250, limits?: Partial<PaneLimits>) {
    const worths = new ActionWorths({ view: 0, click: 1, purchase: 5 });
    const none = Number.POSITIVE_INFINITY;
    this.state = new PartitionState({
      paneMs: PANE_MS,
      attributionTtlMs: 1000,
      horizonMs: 10_000,
      worths,
      requests: { horizonMs, worths },
      ...(limits && {
        limits: { rows: none, listEntries: none, users: none, ...limits },
        depths: { of: () => 32 } as never,
      }),
    });
  }

  list(given: GivenList): this {
    const { id, ts, items, request, model = 0, user = 0, share = Number.NaN } = given;
    const columns = new ExposureColumns(1, items.length);
    columns.user[0] = user;
    columns.model[0] = model;
    columns.ts[0] = ts;
    columns.idHigh[0] = id;
    columns.idLow[0] = id;
    columns.candidates[0] = given.drawnFrom || -1;
    columns.items.set(items);
    columns.listStart[1] = items.length;
    let flags = (given.flags ?? 0) | (given.isServed === true ? SHOWN : 0);
    if (given.drawnFrom !== undefined) flags |= RANDOMIZED;
    if (given.propensities !== undefined) {
      columns.reservePropensities();
      columns.propensities.set(given.propensities);
      flags |= HAS_PROPENSITIES;
    }
    if (request !== undefined) {
      columns.reserveRequest();
      const { requests } = columns;
      requests.requestHigh[0] = request;
      requests.requestLow[0] = request;
      requests.share[0] = share;
      requests.depth[0] = given.depth ?? 0;
      requests.firstRank[0] = given.firstRank ?? 0;
      requests.propensityOf[0] = PROPENSITY_KINDS.indexOf(given.propensityOf ?? 'slot');
      flags |= HAS_REQUEST;
    }
    this.state.openPane(Math.floor(ts / PANE_MS)).addExposure(columns, 0, flags);
    return this;
  }

  /** An action that names a list; class 0 of actions is that of a click. */
  click(ts: number, list: number, item: number, { user = 0, action = -1 } = {}): this {
    const columns = new InteractionColumns(1);
    columns.user[0] = user;
    columns.item[0] = item;
    columns.ts[0] = ts;
    columns.exposureHigh[0] = list;
    columns.exposureLow[0] = list;
    columns.action[0] = action;
    const flags = POSITIVE | NAMES_EXPOSURE;
    this.state.openPane(Math.floor(ts / PANE_MS)).addInteraction(columns, 0, flags);
    return this;
  }

  close(pane: number): PaneContent {
    return runAtOnce(this.state.close(pane));
  }

  /** Closes the panes through this one; @returns the last. */
  closeThrough(pane: number): PaneContent {
    for (let before = 0; before < pane; before++) this.close(before);
    return this.close(pane);
  }
}
