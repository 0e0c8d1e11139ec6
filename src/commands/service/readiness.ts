import type { Check } from '../../outputs/http/routes/service-routes.js';
import type { Flow } from '../../stream/flow.js';
import type { SchemaPreparer } from '../../stream/read/schema-preparer.js';

/** Health and readiness of the service: whether it reads, stores and evaluates as it should. */
export class Readiness {
  readonly #schemas: Pick<SchemaPreparer, 'trouble'> | undefined;
  #partitions: readonly number[] = [];
  #hasFailed = false;

  /** @param intake returns the check of the intake; undefined if this process runs no intake */
  constructor(
    private readonly pipeline: Flow,
    schemas?: Pick<SchemaPreparer, 'trouble'>,
    private readonly intake: () => Check | undefined = () => undefined,
  ) {
    this.#schemas = schemas;
    pipeline.assigned$.subscribe((partitions) => {
      this.#partitions = partitions;
    });
    pipeline.panes$.subscribe({
      error: () => {
        this.#hasFailed = true;
      },
    });
  }

  health(): Check[] {
    return [
      {
        name: 'pipeline',
        ok: !this.#hasFailed,
      },
    ];
  }

  get isReady(): boolean {
    return this.checks().every(({ ok }) => ok);
  }

  checks(): Check[] {
    return [
      this.#broker(),
      this.#assigned(),
      {
        name: 'caught_up',
        ok: this.pipeline.caughtUp,
      },
      this.#clock(),
      ...this.#registry(),
      ...this.#store(),
      ...this.#panes(),
      ...[this.intake()].flatMap((check) => check ?? []),
    ];
  }

  #broker(): Check {
    const { isThere, trouble } = this.pipeline.contact;
    return {
      name: 'broker',
      ok: isThere,
      ...(trouble !== undefined && { detail: trouble }),
    };
  }

  #clock(): Check {
    const seconds = Math.round(this.pipeline.clockSkewMs / 1000);
    if (seconds === 0) {
      return {
        name: 'clock',
        ok: true,
      };
    }
    const where = seconds > 0 ? 'behind' : 'ahead of';
    return {
      name: 'clock',
      ok: false,
      detail: `${Math.abs(seconds)} s ${where} the log`,
    };
  }

  #registry(): Check[] {
    if (this.#schemas === undefined) return [];
    const { trouble } = this.#schemas;
    const detail = trouble === undefined ? {} : { detail: trouble };
    return [
      {
        name: 'schema_registry',
        ok: trouble === undefined,
        ...detail,
      },
    ];
  }

  #store(): Check[] {
    const { checkpointer } = this.pipeline;
    if (checkpointer === undefined) return [];
    const { trouble } = checkpointer;
    return [
      {
        name: 'state_store',
        ok: trouble === undefined,
        ...(trouble && { detail: trouble }),
      },
    ];
  }

  #assigned(): Check {
    const { length } = this.#partitions;
    const isApart = this.pipeline.sharing?.isApart === true;
    const detail = isApart
      ? `this process reads ${length} partitions, and other processes of the group read the rest. To share partitions, start readers with --role read, and one process with --role tick`
      : `${length} partitions`;
    return {
      name: 'assigned',
      ok: length > 0 && !isApart,
      detail,
    };
  }

  #panes(): Check[] {
    const { sharing } = this.pipeline;
    if (sharing === undefined || sharing.isApart) return [];
    const { trouble, note } = sharing;
    return [
      {
        name: 'panes_topic',
        ok: trouble === undefined,
        detail: trouble ?? note,
      },
    ];
  }
}
