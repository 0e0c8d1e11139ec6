import { BYTES_EACH } from '../../src/commands/service/budget.js';
import { servedCounts, shareStrata } from '../../src/features/values/arms/share-strata.js';
import { clickedRanks } from '../../src/features/values/examination-by-arms.js';
import { fitExamination } from '../../src/features/values/fit-examination.js';
import { valueOfWindows } from '../../src/features/values/value-of-windows.js';
import { windowLog } from '../../src/features/values/window-log.js';
import { reasonOf } from '../../src/rows/reading.js';
import { type PaneRequests, windowRequests } from '../../src/state/requests/pane-requests.js';
import { runAtOnce } from '../../src/stream/sliced.js';
import { reachableBytes } from '../support/collect.js';
import { cpuMs, medianOf } from './cpu-time.js';
import {
  LOOKS,
  openRequests,
  PANE_MS,
  REQUEST_LIST,
  REQUEST_MODELS,
  type RequestChances,
  RequestLog,
} from './request-log.js';
import type { BenchResult } from './result.js';
import { millionRows } from './tick.js';

const REQUESTS = 1_000_000;
const PANES = 60;
const ROUNDS = 9;
/** Rounds that pay for compilation. */
const WARM_UP = 3;
const OPEN = 200_000;

/** What logged propensities are of, and how many estimates that gives for three models and the logger. */
const LOGGED = [
  { propensityOf: 'slot', forms: 10, theta: undefined },
  { propensityOf: 'conditional', forms: 19, theta: undefined },
  { propensityOf: 'item', forms: 10, theta: LOOKS },
] as const;

/**
 * Values of a million requests with lists of four models, of which two are served, against the
 * estimates of a million rows of three models: the processor's time, in turns, median of rounds; then
 * of requests whose lists a logger drew. What fitting examination is of it, and
 * what a request takes beside its lists while it is open and when it has closed.
 */
export async function benchValues(requests = REQUESTS): Promise<BenchResult[]> {
  const each = Math.round(requests / PANES);
  const memory = bytesOfOpenRequest(OPEN);
  const loggedMemory = bytesOfOpenRequest(OPEN, { propensityOf: 'slot' });
  const panes = closedPanes(new RequestLog(7), each);
  const ownShares = bytesWithOwnShares(each);
  const rows = millionRows();
  const fit = fitOf(panes);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    own: valued(panes, 14),
    fit: cpuMs(fit),
    other: cpuMs(rows),
  }));
  const warm = rounds.slice(WARM_UP);
  const valuing = medianOf(warm.map((round) => round.own));
  const fitted = medianOf(warm.map((round) => round.fit / round.own));
  return [
    against('values.tick', panes, warm),
    bounded('values.fit', fitted, 0.05, 'of it', {
      detail: `the curve of examination and its covariance, from clicks that are counted by their ranks; of ${valuing.toFixed(0)} ms`,
    }),
    bounded('values.open_request', memory, BYTES_EACH.openRequest, 'bytes', {
      detail: `${OPEN.toLocaleString('en')} open requests, beside lists of ${REQUEST_MODELS.length} models with ${REQUEST_LIST} items`,
    }),
    bounded('values.closed_request', bytesOfClosed(panes), 60, 'bytes', {
      detail: 'columns of requests that have closed, beside their items',
    }),
    bounded('values.closed_own_shares', ownShares, 60, 'bytes', {
      detail: 'the same where each request has shares of its own, of two arms, with these',
    }),
    bounded('values.logged_open_request', loggedMemory, BYTES_EACH.openRequest, 'bytes', {
      detail: `${OPEN.toLocaleString('en')} open requests with propensities, beside the lists and these`,
    }),
    ...LOGGED.flatMap((logged) => benchLogged(each, rows, logged)),
  ];
}

/** The same of requests that one model was served in, by propensities that it logged. */
function benchLogged(
  each: number,
  rows: () => void,
  { propensityOf, forms, theta }: (typeof LOGGED)[number],
): BenchResult[] {
  const panes = closedPanes(new RequestLog(8, { propensityOf }), each);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    own: valued(panes, forms, theta),
    other: cpuMs(rows),
  }));
  const id = `values.logged_${propensityOf}`;
  return [
    against(`${id}_tick`, panes, rounds.slice(WARM_UP)),
    bounded(`${id}_request`, bytesOfClosed(panes), 60, 'bytes', {
      detail:
        'columns of requests that have closed, beside their items and the propensities of these',
    }),
  ];
}

/** A tick over requests against one over rows. */
function against(
  id: string,
  panes: readonly PaneRequests[],
  rounds: readonly { readonly own: number; readonly other: number }[],
): BenchResult {
  const valuing = medianOf(rounds.map(({ own }) => own));
  const other = medianOf(rounds.map((round) => round.other));
  const ratios = rounds.map((round) => round.own / round.other).sort((a, b) => a - b);
  const kept = panes.reduce((sum, { length }) => sum + length, 0);
  const items = panes.reduce((sum, pane) => sum + pane.items.length, 0);
  const spread = `${ratios[0]!.toFixed(2)} to ${ratios.at(-1)!.toFixed(2)}`;
  return bounded(id, valuing / other, 1.2, 'x rows', {
    detail: `${kept.toLocaleString('en')} requests with ${items.toLocaleString('en')} items: ${valuing.toFixed(0)} ms of the processor, a million rows ${other.toFixed(0)} ms; ${spread} in ${rounds.length} turns`,
  });
}

function bounded(
  id: string,
  value: number,
  most: number,
  unit: string,
  { detail }: Pick<BenchResult, 'detail'>,
): BenchResult {
  return { id, value, unit, target: `<= ${most}`, ok: value <= most, detail };
}

/** Of an open request beside its lists: these take what the memory budget counts for them. */
export function bytesOfOpenRequest(requests: number, chances: RequestChances = {}): number {
  const open = openRequests(Number.POSITIVE_INFINITY, 30 * PANE_MS);
  const log = new RequestLog(3, chances);
  const before = reachableBytes();
  log.addTo(open, 0, requests);
  const bytes = (reachableBytes() - before) / open.size;
  const { openList, openItem, openReward } = BYTES_EACH;
  const logged = chances.propensityOf === undefined ? 0 : Float32Array.BYTES_PER_ELEMENT;
  const lists = REQUEST_MODELS.length * (openList + REQUEST_LIST * openItem);
  return bytes - lists - REQUEST_LIST * (openReward + logged);
}

function bytesOfClosed(panes: readonly PaneRequests[]): number {
  let bytes = 0;
  let requests = 0;
  for (const { items: _, length, kinds, logged, ...columns } of panes) {
    requests += length;
    bytes += kinds.shares.byteLength + (logged?.kind.byteLength ?? 0);
    for (const column of Object.values(columns)) {
      if (ArrayBuffer.isView(column)) bytes += column.byteLength;
    }
  }
  return bytes / requests;
}

/** Of closed requests, each with shares that no other has. */
function bytesWithOwnShares(each: number): number {
  return bytesOfClosed(closedPanes(new RequestLog(7, { ownShares: true }), each, 3));
}

/** As many requests close with each pane as may: all, and of a sample all items. */
function closedPanes(log: RequestLog, each: number, count = PANES): PaneRequests[] {
  const panes: PaneRequests[] = [];
  for (let pane = 0; pane < count; pane++) {
    const open = openRequests(each, 1);
    log.addTo(open, pane, each);
    panes.push(runAtOnce(open.close(pane)).requests!);
  }
  return panes;
}

/** Of a user's number. */
const hashOf = (user: number) => Math.imul(user, 0x9e3779b1) >>> 8;

/** Fits examination to clicks that are counted. */
function fitOf(panes: readonly PaneRequests[]): () => void {
  const models = [...REQUEST_MODELS.keys()];
  const kept = windowRequests(panes, PANES, models, hashOf);
  const { log, requests } = windowLog(kept, REQUEST_MODELS, undefined)!;
  const strata = shareStrata(servedCounts(log), log.shares, true);
  const patterns = clickedRanks(log, strata, requests.places);
  return () => {
    fitExamination(patterns);
  };
}

/**
 * All that a tick does of requests for one window that holds all of them.
 *
 * @param forms how many estimates it comes to.
 */
function valued(panes: readonly PaneRequests[], forms: number, theta?: readonly number[]) {
  const models = [...REQUEST_MODELS.keys()];
  const options = { horizonMs: 1, unit: 'request', ...(theta && { theta }) } as const;
  const window = { firstPane: 0, lastPane: PANES, to: (PANES + 1) * PANE_MS };
  return cpuMs(() => {
    const kept = windowRequests(panes, PANES, models, hashOf);
    const { values } = valueOfWindows(kept, REQUEST_MODELS, options)(window);
    if (values.length !== forms || values.some(({ status }) => status === 'refused')) {
      const found = values.map((row) => [row.model, row.estimator, reasonOf(row)]);
      throw new Error(`not ${forms} values: ${JSON.stringify(found)}`);
    }
  });
}
