import type { Check } from '../../outputs/http/routes/service-routes.js';
import type { Pipeline } from '../../stream/pipeline.js';
import type { SchemaPreparer } from '../../stream/schema-preparer.js';

/** Whether the service reads, keeps and evaluates as it should, as health and readiness tell it. */
export class Readiness {
  readonly #schemas: Pick<SchemaPreparer, 'trouble'> | undefined;
  #partitions: readonly number[] = [];
  #hasFailed = false;

  /** @param intake what is to be said of the intake, where there is one */
  constructor(
    private readonly pipeline: Pipeline,
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
    return [{ name: 'pipeline', ok: !this.#hasFailed }];
  }

  get isReady(): boolean {
    return this.checks().every(({ ok }) => ok);
  }

  checks(): Check[] {
    const { length } = this.#partitions;
    return [
      this.#broker(),
      { name: 'assigned', ok: length > 0, detail: `${length} partitions` },
      // Beside workers of another version nothing is read; a roll-out has to go on to the end.
      { name: 'caught_up', ok: this.pipeline.caughtUp || this.pipeline.sharing?.isMixed === true },
      this.#clock(),
      ...this.#registry(),
      ...this.#store(),
      ...this.#exchange(),
      ...[this.intake()].flatMap((check) => check ?? []),
    ];
  }

  #broker(): Check {
    const { isThere, trouble } = this.pipeline.contact;
    return { name: 'broker', ok: isThere, ...(trouble !== undefined && { detail: trouble }) };
  }

  #clock(): Check {
    const seconds = Math.round(this.pipeline.clockSkewMs / 1000);
    if (seconds === 0) return { name: 'clock', ok: true };
    const where = seconds > 0 ? 'behind' : 'ahead of';
    return { name: 'clock', ok: false, detail: `${Math.abs(seconds)} s ${where} the log` };
  }

  #registry(): Check[] {
    if (this.#schemas === undefined) return [];
    const { trouble } = this.#schemas;
    const detail = trouble === undefined ? {} : { detail: trouble };
    return [{ name: 'schema_registry', ok: trouble === undefined, ...detail }];
  }

  #store(): Check[] {
    const { checkpointer } = this.pipeline;
    if (checkpointer === undefined) return [];
    const { trouble } = checkpointer;
    return [
      { name: 'state_store', ok: trouble === undefined, ...(trouble && { detail: trouble }) },
    ];
  }

  #exchange(): Check[] {
    const { sharing } = this.pipeline;
    if (sharing === undefined) return [];
    const { trouble, note } = sharing;
    return [{ name: 'pane_exchange', ok: trouble === undefined, detail: trouble ?? note }];
  }
}
