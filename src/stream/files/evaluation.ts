import type { ExposureColumns, InteractionColumns } from '../../events/columns.js';
import type { SegmentTable } from '../../events/segment-table.js';
import { experimentAsked, joinedRequests } from '../../features/works.js';
import { talliesBy } from '../../state/panes/partition.js';
import type { Ids } from '../ids.js';
import { followsCauses } from '../options.js';
import type { Outcomes } from '../outcomes.js';
import { KeptRows } from '../tick/kept-rows.js';
import type { ModelsLeftOut, Snapshot } from '../tick/snapshot.js';
import { needsKeys } from '../tick/tick.js';
import { type EvaluationOptions, evaluated, ruleOf } from './closed-evaluation.js';
import { EvaluationIntake, type EvaluationPart } from './evaluation-intake.js';
import { type ClosedShard, closedShard, EvaluationShard } from './evaluation-shard.js';

/** Id tables of the events, with the segment values of rows if there are any. */
export type EvaluationIds = Ids & { readonly segments?: SegmentTable | undefined };

/**
 * Evaluates all events of files as one window, with the same state and tick as the stream.
 *
 * If there are train events, popularity, counts for interventions and the popularity levels of the
 * γ fit come from these alone. They are not evaluated, but their lists are used for attribution.
 * Without train events the evaluated events provide popularity and counts, and the γ fit has the
 * status `too_few_levels`, since there is no earlier period.
 */
export class Evaluation {
  readonly #options: EvaluationOptions;
  readonly #ids: EvaluationIds;
  readonly #intake: EvaluationIntake;
  readonly #outcomes: Outcomes;
  /** Rows behind the result; empty unless `keepsRows`. */
  readonly rows: KeptRows;

  /**
   * Prepare an evaluation.
   *
   * @param outcomes counts the outcomes of the events; complete after `result`
   */
  constructor(options: EvaluationOptions, ids: EvaluationIds, outcomes: Outcomes) {
    this.#options = options;
    this.#ids = ids;
    this.#outcomes = outcomes;
    this.rows = new KeptRows(options.keepsRows ? Number.POSITIVE_INFINITY : 0);
    const limits = options.limits && {
      ...options.limits,
      popularity: ruleOf(options),
    };
    const users = ids.users?.(0);
    this.#intake = new EvaluationIntake(
      {
        ...options,
        limits,
        users,
      },
      outcomes,
    );
  }

  /**
   * Add events of a part, in any order. The user columns are overwritten.
   *
   * @param share share of the part read so far, including these; 1 if unknown.
   */
  accept(
    part: EvaluationPart,
    interactions: InteractionColumns,
    exposures: ExposureColumns,
    share = 1,
  ): void {
    this.#intake.accept(part, interactions, exposures, share);
  }

  /** Compute the result; to be called once, after the last event. */
  result(): Snapshot {
    const intake = this.#intake;
    intake.settle();
    const shards = this.#close();
    for (const { counts } of shards) {
      this.#outcomes.addRequests(counts.train?.requests);
      this.#outcomes.addRequests(counts.events.requests);
      this.#outcomes.addReading('before_list', counts.early?.moved ?? 0);
      this.#outcomes.addReading('long_before_list', counts.early?.left ?? 0);
    }
    return evaluated(
      {
        shards,
        span: intake.span,
        models: intake.models,
        leftOut: this.#leftOut,
        isTrained: intake.isTrained,
        keysOf: (shard) => this.#keys(shard),
        nameOf: (shard) => this.#nameOf(shard),
      },
      {
        options: this.#options,
        ids: this.#ids,
        rows: this.rows,
      },
    );
  }

  /** Models beyond the first `maxModels`, in the order of the files. */
  get #leftOut(): ModelsLeftOut | undefined {
    const { modelsLeftOut } = this.#intake;
    if (modelsLeftOut.size === 0) return undefined;
    const some = [...modelsLeftOut].slice(0, 5).map((id) => this.#ids.models.text(id));
    return {
      models: modelsLeftOut.size,
      names: some.sort(),
    };
  }

  #close(): readonly ClosedShard[] {
    const { shards, isTrained, limits, depths, servedModels } = this.#intake;
    const { attributionTtlMs, clockSkewMs } = this.#options;
    const { segments } = this.#ids;
    const asked = experimentAsked(this.#options);
    const options = {
      attributionTtlMs,
      clockSkewMs,
      isTrained,
      followsCauses: followsCauses(this.#options),
      popularity: ruleOf(this.#options),
      actions: this.#options.actions,
      experiment: asked && {
        earning: asked.earning,
        // An A/B test compares models that both served lists.
        isRecorded: servedModels.size > 1,
      },
      value: joinedRequests(this.#options),
      segments: segments && {
        dimensions: segments.dimensions,
        names: segments.names,
      },
    };
    // Shared by the shards, which close one after another, since it is as large as the catalogue.
    const tallies = talliesBy(options.popularity);
    const sampling = limits === undefined ? {} : { limits, depths };
    return shards.map((panes) =>
      closedShard(new EvaluationShard(panes, options, sampling, tallies)),
    );
  }

  /** Hashes of the ids of a shard's users. */
  #keys(shard: number): Int32Array | undefined {
    const users = this.#ids.users?.(0);
    const isAsked = needsKeys(this.#options.estimates) || this.#intake.hasRequests;
    if (users === undefined || !isAsked) return undefined;
    const { shards, users: sizes } = this.#intake;
    return Int32Array.from({ length: sizes[shard] }, (_, user) =>
      users.hash(user * shards.length + shard),
    );
  }

  #nameOf(shard: number): ((user: number) => string) | undefined {
    const users = this.#ids.users?.(0);
    const shards = this.#intake.shards.length;
    return users && ((user) => users.text(user * shards + shard));
  }
}
