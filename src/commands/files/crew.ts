import {
  mergedEstimates,
  type OrganicEstimates,
  type OrganicExtras,
  type OrganicJob,
  type OrganicWindow,
  organicEstimates,
} from '../../estimators/lanes/lane-window.js';
import { type EstimatorName, estimatorOf } from '../../estimators/rules/registry.js';
import type { RowsRequest } from '../../state/panes/group-by-user.js';
import type { WindowPart } from '../../state/panes/window-part.js';
import {
  allClosedHere,
  type ClosedShard,
  type EvaluationCrew,
  NO_CREW,
  type ShardCounts,
  type ShardEvents,
  type ShardOptions,
} from '../../stream/evaluation-shard.js';
import { AskedThread } from '../threads/asked-thread.js';

type Helper = AskedThread<Question, Answers[Question['kind']]>;

export interface StartedCrew extends EvaluationCrew {
  end(): Promise<void>;
}

/** Starts the threads that share an evaluation, this one among them; the caller ends it. */
export function startCrew(threads: number): StartedCrew {
  if (threads === 1) return { ...NO_CREW, end: () => Promise.resolve() };
  const script = new URL('./evaluation-thread.js', import.meta.url);
  const helpers: Helper[] = Array.from({ length: threads - 1 }, () => new AskedThread(script));
  return new ThreadedCrew(helpers);
}

/**
 * Shares an evaluation among threads: shards by turns, then estimators by what they cost. This
 * thread does its own share, the last, while the others are at theirs.
 */
class ThreadedCrew implements StartedCrew {
  #pending: Promise<unknown> | undefined;

  constructor(private readonly helpers: readonly Helper[]) {}

  async close(
    shards: readonly ShardEvents[],
    options: ShardOptions,
  ): Promise<readonly ClosedShard[]> {
    const helperOf = (shard: number) => this.helpers[shard % (this.helpers.length + 1)];
    const asked = shards.map((events, shard) => {
      const helper = helperOf(shard);
      return helper && closedThere(helper, shard, events, options);
    });
    // Those that are closed here come after all others are under way.
    const left = shards.filter((_, shard) => asked[shard] === undefined);
    const here = allClosedHere(left, options).values();
    return await Promise.all(asked.map((closed) => closed ?? here.next().value!));
  }

  pending(): Promise<unknown> | undefined {
    return this.#pending;
  }

  readonly work = (job: OrganicJob, extras: OrganicExtras, sliceRows: number) =>
    isShared(job, extras)
      ? this.#shared(job, extras, sliceRows)
      : organicEstimates(job, extras, sliceRows);

  async end(): Promise<void> {
    await Promise.all(this.helpers.map((helper) => helper.close()));
  }

  *#shared(
    job: OrganicJob,
    extras: OrganicExtras,
    sliceRows: number,
  ): Generator<void, OrganicWindow> {
    const [own, ...others] = shares(job.options.estimators, this.helpers.length + 1);
    const of = (estimators: readonly EstimatorName[]) => ({
      ...job,
      options: { ...job.options, estimators },
    });
    // Sums by level are the same for all estimators: one share has them.
    const { levels: _, ...columns } = job.columns;
    let answers: OrganicEstimates[] | undefined;
    let failure: Error | undefined;
    const asked = others.map((estimators, n) =>
      this.helpers[n].ask({ kind: 'estimate', job: { ...of(estimators), columns } }),
    );
    const all = Promise.all(asked as Promise<OrganicEstimates>[]).then(
      (found) => {
        answers = found;
      },
      (error: Error) => {
        failure = error;
      },
    );
    const here = yield* organicEstimates(of(own), extras, sliceRows);
    this.#pending = all;
    while (answers === undefined && failure === undefined) yield;
    this.#pending = undefined;
    if (answers === undefined) throw failure;
    return { ...here, ...mergedEstimates(job, [here, ...answers]) };
  }
}

/** What goes with a scale or drawn sets is not sent. */
function isShared({ options, parts }: OrganicJob, { scale }: OrganicExtras): boolean {
  if (scale !== null || (options.draws ?? 0) > 0) return false;
  return options.estimators.length > 1 && parts.length > 0;
}

/** Estimators in shares that cost much the same, the most expensive first. */
function shares(estimators: readonly EstimatorName[], count: number): EstimatorName[][] {
  const all = Array.from({ length: count }, () => ({ names: [] as EstimatorName[], cost: 0 }));
  const costOf = (name: EstimatorName) => estimatorOf(name).cost;
  for (const name of [...estimators].sort((a, b) => costOf(b) - costOf(a))) {
    const least = all.reduce((a, b) => (b.cost < a.cost ? b : a));
    least.names.push(name);
    least.cost += costOf(name);
  }
  return all
    .filter(({ names }) => names.length > 0)
    .map(({ names }) => estimators.filter((name) => names.includes(name)));
}

async function closedThere(
  helper: Helper,
  shard: number,
  events: ShardEvents,
  options: ShardOptions,
): Promise<ClosedShard> {
  const counts = await helper.ask({ kind: 'close', shard, events, options }, events);
  return {
    counts: counts as Answers['close'],
    level: 0,
    part: async (request, _, keys) =>
      (await helper.ask({ kind: 'part', shard, request, keys }, keys)) as Answers['part'],
  };
}

/** What is asked of a thread that helps with an evaluation. */
export type Question =
  | {
      readonly kind: 'close';
      readonly shard: number;
      readonly events: ShardEvents;
      readonly options: ShardOptions;
    }
  | {
      readonly kind: 'part';
      readonly shard: number;
      readonly request: RowsRequest;
      readonly keys: Int32Array | undefined;
    }
  | { readonly kind: 'estimate'; readonly job: OrganicJob };

/** Its answers, by the kind of the question. */
export interface Answers {
  readonly close: ShardCounts;
  readonly part: WindowPart;
  readonly estimate: OrganicEstimates;
}
