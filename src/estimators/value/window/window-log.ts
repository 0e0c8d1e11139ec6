import { NOT_IN_LIST } from '../../../state/panes/window-part.js';
import { REQUEST_CLUSTERS, type WindowRequests } from '../../../state/requests/window-requests.js';
import type { ServedLog } from '../arms/served-log.js';
import { type UsableRequests, usableRequests, visitUsable } from './request-shares.js';
import { type WindowDesign, windowDesign } from './window-design.js';

/** The requests of some panes as a log of arms. */
export interface WindowLog {
  readonly log: ServedLog;
  /** Those of which it holds the ones that can be valued. */
  readonly requests: UsableRequests;
  /** Share of all requests that it holds: those whose lists are all there. */
  readonly complete: number;
  /** By model of the log: share of its requests in which the model has a list. */
  readonly listed: readonly number[];
  /** No item stands at this rank or below it. */
  readonly places: number;
}

/**
 * The requests of some panes, of all partitions, as columns.
 *
 * @param names of the models by column. @returns undefined where there are no requests at all.
 * Yields now and then.
 */
export function* windowLog(
  panes: readonly WindowRequests[],
  names: readonly string[],
): Generator<void, WindowLog | undefined> {
  const requests = usableRequests(panes);
  if (requests.all === 0) return undefined;
  const design = yield* windowDesign(requests);
  const { columns, arms, shares, listed } = design;
  const columnsOfLog = yield* logColumns(requests, design);
  return {
    log: {
      ...columnsOfLog,
      ...{ models: columns.map((column) => names[column]), shares, clusters: REQUEST_CLUSTERS },
      arms: arms.map((list) => ({ list })),
    },
    requests,
    complete: requests.usable / requests.all,
    listed: listed.map((count) => count / requests.usable),
    places: requests.places,
  };
}

function* logColumns(
  requests: UsableRequests,
  design: WindowDesign,
): Generator<void, Pick<ServedLog, 'requests' | 'items'>> {
  const sizes = sizesOf(requests);
  const into = new LogColumns(sizes, requests, design);
  for (const pane of requests.panes) {
    into.begin(pane);
    visitUsable(requests, pane, (q) => into.add(pane, q));
    yield;
  }
  return into.build();
}

/** How many requests can be used, and rows of items that they have at most. */
function sizesOf(requests: UsableRequests): { readonly requests: number; readonly items: number } {
  let items = 0;
  for (const pane of requests.panes) {
    visitUsable(requests, pane, (q) => {
      items += pane.firstItem[q + 1] - pane.firstItem[q];
    });
  }
  return { requests: requests.usable, items };
}

/** Columns under construction. */
class LogColumns {
  readonly #listedLevel: number;
  readonly #design: WindowDesign;
  /** By column: place of the arm. */
  readonly #armOf: ReadonlyMap<number, number>;
  readonly #arm: Uint16Array;
  readonly #stratum: Int32Array;
  readonly #cluster: Uint8Array;
  readonly #isListed: Uint8Array;
  readonly #request: Int32Array;
  readonly #reward: Float64Array;
  readonly #ranks: readonly Uint16Array[];
  #strata: Int32Array = new Int32Array(0);
  #requests = 0;
  #items = 0;

  constructor(
    { requests, items }: { readonly requests: number; readonly items: number },
    { listedLevel }: UsableRequests,
    design: WindowDesign,
  ) {
    this.#listedLevel = listedLevel;
    this.#design = design;
    this.#armOf = new Map(design.arms.map((place, arm) => [design.columns[place], arm]));
    this.#arm = new Uint16Array(requests);
    this.#stratum = new Int32Array(requests);
    this.#cluster = new Uint8Array(requests);
    this.#isListed = new Uint8Array(requests);
    this.#request = new Int32Array(items);
    this.#reward = new Float64Array(items);
    this.#ranks = design.columns.map(() => new Uint16Array(items).fill(NOT_IN_LIST));
  }

  begin(pane: WindowRequests): void {
    this.#strata = this.#design.strata.get(pane)!;
  }

  /** Of a request that is not in the sample of those whose items are all there, what was rewarded. */
  add(pane: WindowRequests, q: number): void {
    const request = this.#requests++;
    const isListed = pane.depth[q] >= this.#listedLevel;
    this.#arm[request] = this.#armOf.get(pane.served[q])!;
    this.#stratum[request] = this.#strata[pane.kind[q]];
    this.#cluster[request] = pane.cluster[q];
    this.#isListed[request] = isListed ? 1 : 0;
    const { reward, ranks } = pane.items;
    for (let row = pane.firstItem[q]; row < pane.firstItem[q + 1]; row++) {
      if (!isListed && reward[row] === 0) continue;
      const at = this.#items++;
      this.#request[at] = request;
      this.#reward[at] = reward[row];
      for (const [place, column] of this.#design.columns.entries()) {
        const own = ranks[column];
        if (own !== undefined) this.#ranks[place][at] = own[row];
      }
    }
  }

  build(): Pick<ServedLog, 'requests' | 'items'> {
    const length = this.#items;
    const isSample = this.#isListed.some((each) => each === 0);
    return {
      requests: {
        ...{ length: this.#requests, arm: this.#arm, stratum: this.#stratum },
        cluster: this.#cluster,
        ...(isSample && { isListed: this.#isListed }),
      },
      items: {
        ...{ length, request: this.#request, reward: this.#reward },
        ranks: this.#ranks,
      },
    };
  }
}
