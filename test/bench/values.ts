import { performance } from 'node:perf_hooks';
import { BYTES_EACH } from '../../src/commands/service/memory/budget.js';
import { servedCounts, shareStrata } from '../../src/estimators/value/arms/share-strata.js';
import { clickedRanks } from '../../src/estimators/value/examination/clicked-ranks.js';
import { fitExamination } from '../../src/estimators/value/examination/fit-examination.js';
import { keptExamination } from '../../src/estimators/value/window/kept-examination.js';
import { valueOfWindow } from '../../src/estimators/value/window/value-of-window.js';
import { windowLog } from '../../src/estimators/value/window/window-log.js';
import type { PaneRequests } from '../../src/state/requests/pane-requests.js';
import { windowRequests } from '../../src/state/requests/window-requests.js';
import { finish } from '../oracle/finish.js';
import { reachableBytes } from '../support/collect.js';
import { cpuMs, medianOf } from './cpu-time.js';
import { openRequests, PANE_MS, REQUEST_LIST, REQUEST_MODELS, RequestLog } from './request-log.js';
import type { BenchResult } from './result.js';
import { millionRows } from './tick.js';

const REQUESTS = 1_000_000;
const PANES = 60;
const ROUNDS = 9;
/** Rounds that pay for compilation. */
const WARM_UP = 3;
const OPEN = 200_000;

/**
 * Values of a million requests with lists of four models, of which two are served, against the
 * estimates of a million rows of three models: the processor's time, in turns, median of rounds. What
 * fitting examination is of it, the longest stretch between two yields, and what a request takes
 * beside its lists while it is open and when it has closed.
 */
export async function benchValues(requests = REQUESTS): Promise<BenchResult[]> {
  const each = Math.round(requests / PANES);
  const memory = bytesOfOpenRequest(OPEN);
  const { panes, close } = closedPanes(new RequestLog(7), each);
  const ownShares = bytesWithOwnShares(each);
  const rows = millionRows();
  const steps = new Steps();
  const fit = fitOf(panes);
  const rounds = Array.from({ length: ROUNDS }, () => ({
    own: valued(panes, steps),
    fit: cpuMs(fit),
    other: cpuMs(rows),
  }));
  const warm = rounds.slice(WARM_UP);
  const valuing = medianOf(warm.map((round) => round.own));
  const other = medianOf(warm.map((round) => round.other));
  const ratios = warm.map((round) => round.own / round.other).sort((a, b) => a - b);
  const fitted = medianOf(warm.map((round) => round.fit / round.own));
  const kept = panes.reduce((sum, { length }) => sum + length, 0);
  const items = panes.reduce((sum, pane) => sum + pane.items.length, 0);
  const spread = `${ratios[0]!.toFixed(2)} to ${ratios.at(-1)!.toFixed(2)}`;
  return [
    bounded('values.tick', valuing / other, 1.2, 'x rows', {
      detail: `${kept.toLocaleString('en')} requests with ${items.toLocaleString('en')} items: ${valuing.toFixed(0)} ms of the processor, a million rows ${other.toFixed(0)} ms; ${spread} in ${warm.length} turns`,
    }),
    bounded('values.fit', fitted, 0.05, 'of it', {
      detail:
        'the curve of examination and its covariance, from clicks that are counted by their ranks',
    }),
    bounded('values.longest_stretch', steps.longest, 8, 'ms', {
      detail: `between two yields, each the least of all rounds; ${each.toLocaleString('en')} requests close in ${close.toFixed(0)} ms of the processor, in slices too`,
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
  ];
}

function bounded(
  id: string,
  value: number,
  most: number,
  unit: string,
  { detail }: { readonly detail: string },
): BenchResult {
  return { id, value, unit, target: `<= ${most}`, ok: value <= most, detail };
}

/** Of an open request beside its lists: these take what the memory budget counts for them. */
export function bytesOfOpenRequest(requests: number): number {
  const open = openRequests(Number.POSITIVE_INFINITY, 30 * PANE_MS);
  const log = new RequestLog(3);
  const before = reachableBytes();
  log.addTo(open, 0, requests);
  const bytes = (reachableBytes() - before) / open.size;
  const { openList, openItem, openReward } = BYTES_EACH;
  const lists = REQUEST_MODELS.length * (openList + REQUEST_LIST * openItem);
  return bytes - lists - REQUEST_LIST * openReward;
}

function bytesOfClosed(panes: readonly PaneRequests[]): number {
  let [bytes, requests] = [0, 0];
  for (const { items: _, length, kinds, ...columns } of panes) {
    requests += length;
    bytes += kinds.shares.byteLength;
    for (const column of Object.values(columns)) {
      if (ArrayBuffer.isView(column)) bytes += column.byteLength;
    }
  }
  return bytes / requests;
}

/** Of closed requests, each with shares that no other has. */
function bytesWithOwnShares(each: number): number {
  return bytesOfClosed(closedPanes(new RequestLog(7, true), each, 3).panes);
}

/** As many requests close with each pane as may: all, and of a sample all items. */
function closedPanes(log: RequestLog, each: number, count = PANES) {
  const panes: PaneRequests[] = [];
  const closes: number[] = [];
  for (let pane = 0; pane < count; pane++) {
    const open = openRequests(each, 1);
    log.addTo(open, pane, each);
    closes.push(cpuMs(() => panes.push(finish(open.close(pane)).requests!)));
  }
  return { panes, close: medianOf(closes) };
}

/** Of a user's number. */
const hashOf = (user: number) => Math.imul(user, 0x9e3779b1) >>> 8;

/** Fits examination to clicks that are counted. */
function fitOf(panes: readonly PaneRequests[]): () => void {
  const models = [...REQUEST_MODELS.keys()];
  const kept = finish(windowRequests(panes, PANES, models, hashOf));
  const { log, places } = finish(windowLog(kept, REQUEST_MODELS))!;
  const strata = shareStrata(finish(servedCounts(log)), log.shares, true);
  const patterns = finish(clickedRanks(log, strata, places));
  return () => {
    fitExamination(patterns);
  };
}

/** The part of a tick that values one window. */
function valued(panes: readonly PaneRequests[], steps: Steps) {
  const models = [...REQUEST_MODELS.keys()];
  steps.begin();
  const total = cpuMs(() => {
    const kept = steps.run(windowRequests(panes, PANES, models, hashOf));
    const log = steps.run(windowLog(kept, REQUEST_MODELS));
    const examination = steps.run(keptExamination(log));
    const options = { horizonMs: 1, unit: 'request' } as const;
    const until = (PANES + 1) * PANE_MS;
    const { values } = steps.run(valueOfWindow(log, REQUEST_MODELS, options, examination, until));
    if (values.length !== 10 || values.some(({ isRefused }) => isRefused)) {
      throw new Error('a value was refused');
    }
  });
  return total;
}

/**
 * Runs work to its end, and notes the least time of each of its steps over all rounds: what the
 * machine does beside it does not make the same step long in all of them.
 */
class Steps {
  readonly #least: number[] = [];
  #next = 0;

  begin(): void {
    this.#next = 0;
  }

  get longest(): number {
    return Math.max(...this.#least);
  }

  run<T>(work: Generator<void, T>): T {
    for (;;) {
      const start = performance.now();
      const step = work.next();
      const ms = performance.now() - start;
      const n = this.#next++;
      this.#least[n] = Math.min(this.#least[n] ?? ms, ms);
      if (step.done) return step.value;
    }
  }
}
