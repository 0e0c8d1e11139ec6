import type { BinaryReader } from '../binary/binary-reader.js';
import type { BinaryWriter } from '../binary/binary-writer.js';
import type { Dictionaries, Places } from '../ids/dictionaries.js';
import type { OpenRequest, RequestList, ServedList } from './open-request.js';
import type { OpenRequests } from './open-requests.js';
import type { PaneRequests } from './pane-requests.js';
import { REQUEST_FAULTS } from './request-faults.js';
import type { RequestGroup } from './request-group.js';
import { readRequests, writeRequests } from './stored-requests.js';

/** Columns of a list; before, there were five without what is logged, or four without candidates. */
const LISTS = 6;

/** The open requests of a partition, by the pane that they close with. */
export type RequestGroups = ReadonlyMap<number, RequestGroup>;

/** What a partition has of requests, to be read by `readPartitionRequests`. Yields now and then. */
export function* writePartitionRequests(
  to: BinaryWriter,
  closed: readonly PaneRequests[],
  groups: RequestGroups,
  ids: Dictionaries,
): Generator<void, void> {
  to.number(closed.length);
  for (const requests of closed) {
    yield* writeRequests(to, requests, ids);
    yield;
  }
  const sorted = [...groups].sort(([a], [b]) => a - b);
  to.number(sorted.length);
  for (const [closing, { level, sampledOut, size, requests }] of sorted) {
    for (const each of [closing, level, sampledOut, size]) to.number(each);
    for (const request of requests) {
      writeRequest(to, request, ids);
      for (const { items } of request.lists) yield* ids.items.write(to, items);
    }
    yield;
  }
}

/** @param open undefined where open requests are not asked for. */
export function* readPartitionRequests(
  from: BinaryReader,
  closed: { adoptRequests(requests: PaneRequests): void },
  open: OpenRequests | undefined,
  places: Places,
): Generator<void, void> {
  for (let left = from.count(); left > 0; left--) {
    closed.adoptRequests(readRequests(from, places));
    yield;
  }
  for (let groups = from.count(); groups > 0; groups--) {
    const [closing, level, sampledOut] = [from.number(), from.number(), from.number()];
    const requests: OpenRequest[] = [];
    for (let left = from.count(); left > 0; left--) requests.push(readRequest(from, places));
    open?.adopt(closing, { level, sampledOut, requests });
    yield;
  }
}

function writeRequest(to: BinaryWriter, request: OpenRequest, ids: Dictionaries): void {
  const { high, low, user, ts, lists, served, fault } = request;
  const place = (model: number) => ids.models.place(model);
  const found = fault === undefined ? -1 : REQUEST_FAULTS.indexOf(fault);
  to.column(Int32Array.of(high, low, user, found, lists.length));
  to.number(ts);
  to.column(
    Float64Array.from(
      lists.flatMap(({ model, share, depth, firstRank, candidates, logged }) => [
        place(model),
        share,
        depth,
        firstRank,
        candidates,
        logged === undefined ? 0 : 1 + logged.kind,
      ]),
    ),
  );
  for (const { logged } of lists) if (logged !== undefined) to.column(logged.propensities);
  to.number(served === undefined ? 0 : 1);
  if (served === undefined) return;
  to.column(Int32Array.of(served.idHigh, served.idLow, place(served.model)));
  to.column(served.rewards);
}

function readRequest(from: BinaryReader, { models, items }: Places): OpenRequest {
  const [high, low, user, found, count] = from.int32();
  const ts = from.number();
  const written = from.float64();
  const columns = count === 0 ? LISTS : written.length / count;
  const logged = Array.from({ length: count }, (_, n) => {
    const [, , , , , kind = 0] = written.subarray(n * columns, (n + 1) * columns);
    return kind === 0 ? undefined : { kind: kind - 1, propensities: from.float32() };
  });
  let served: ServedList | undefined;
  if (from.number() === 1) {
    const [idHigh, idLow, model] = from.int32();
    served = { idHigh, idLow, model: models.id(model), rewards: from.float64() };
  }
  const lists: RequestList[] = Array.from({ length: count }, (_, n) => {
    const [model, share, depth, firstRank, candidates = Number.NaN] = written.subarray(
      n * columns,
      (n + 1) * columns,
    );
    const [number, listed] = [models.id(model), items.column(from)];
    const own = { model: number, share, depth, firstRank, candidates };
    return { ...own, items: listed, logged: logged[n] };
  });
  const fault = found < 0 ? undefined : REQUEST_FAULTS[found];
  return { high, low, user, ts, lists, served, fault };
}
