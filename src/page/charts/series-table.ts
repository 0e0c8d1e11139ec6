export type Labels = Readonly<Record<string, string | number | null>>;

/**
 * Value of a series at a time. Null: the series has no value at that time, for example because the
 * estimate is not reported. Undefined: the value was not requested.
 */
type Cell = number | null | undefined;
export type Column = readonly Cell[];

/** Series over common times, as loaded from the history of the service. */
export interface LoadedSeries {
  readonly times: readonly number[];
  readonly series: readonly {
    readonly labels: Labels;
    readonly values: Readonly<Record<string, Column>>;
  }[];
}

interface Row {
  readonly labels: Labels;
  readonly values: Map<string, Cell[]>;
}

/** Table of series over common times, loaded from the history and extended by live ticks. */
export class SeriesTable {
  #times: number[] = [];
  readonly #rows = new Map<string, Row>();

  get times(): readonly number[] {
    return this.#times;
  }

  /** Labels of every series. */
  get labels(): Labels[] {
    return [...this.#rows.values()].map(({ labels }) => labels);
  }

  /** Values of a series, one per time; all null if there is no such series. */
  column(labels: Labels, value: string): Column {
    const known = this.#rows.get(keyOf(labels))?.values.get(value);
    return known ?? this.#times.map(() => null);
  }

  /** Replace the content by series of the history; live values that are newer are kept. */
  load({ times, series }: LoadedSeries): void {
    const live = this.#copy();
    this.#times = [...times];
    this.#rows.clear();
    for (const { labels, values } of series) {
      const columns = Object.entries(values).map(([name, column]): [string, Cell[]] => [
        name,
        [...column],
      ]);
      this.#rows.set(keyOf(labels), {
        labels,
        values: new Map(columns),
      });
    }
    const newest = this.#times.at(-1) ?? Number.NEGATIVE_INFINITY;
    // Live ticks lack series that were requested from the history only, so those have no known
    // value there.
    for (const [time, entries] of live) {
      if (time > newest) {
        this.#add(time, entries, undefined);
      }
    }
  }

  /**
   * Add the values of a tick, or replace those of the newest tick if it has the same time. Older
   * ticks are ignored.
   */
  append(time: number, entries: Iterable<readonly [Labels, string, number | null]>): void {
    this.#add(time, entries, null);
  }

  /** @param absent value at the new time for series that `entries` does not have. */
  #add(
    time: number,
    entries: Iterable<readonly [Labels, string, Cell]>,
    absent: null | undefined,
  ): void {
    const newest = this.#times.at(-1) ?? Number.NEGATIVE_INFINITY;
    if (time < newest) return;
    if (time > newest) {
      this.#times.push(time);
      for (const { values } of this.#rows.values()) {
        for (const column of values.values()) {
          column.push(absent);
        }
      }
    }
    for (const [labels, name, value] of entries) {
      this.#own(labels, name)[this.#times.length - 1] = value;
    }
  }

  /** Drop all values before a time. */
  forgetBefore(time: number): void {
    const old = this.#times.findIndex((own) => own >= time);
    if (old <= 0) return;
    this.#times.splice(0, old);
    for (const { values } of this.#rows.values()) {
      for (const column of values.values()) {
        column.splice(0, old);
      }
    }
  }

  clear(): void {
    this.#times = [];
    this.#rows.clear();
  }

  #own(labels: Labels, name: string): Cell[] {
    const key = keyOf(labels);
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = {
        labels,
        values: new Map(),
      };
      this.#rows.set(key, row);
    }
    let column = row.values.get(name);
    if (column === undefined) {
      column = this.#times.map(() => null);
      row.values.set(name, column);
    }
    return column;
  }

  #copy(): [number, [Labels, string, Cell][]][] {
    return this.#times.map((time, t) => [
      time,
      [...this.#rows.values()].flatMap(({ labels, values }) =>
        [...values].map(([name, column]): [Labels, string, Cell] => [labels, name, column[t]]),
      ),
    ]);
  }
}

/** Key of labels, independent of their order. */
function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** A line of a chart, or a set of points. */
export interface Line {
  /** Text at the end of the line and in the readout; '' for none. */
  readonly label: string;
  readonly colour: string;
  readonly values: Column;
  readonly dash?: readonly number[];
  readonly width?: number;
  readonly points?: boolean;
  readonly band?: {
    readonly lower: Column;
    readonly upper: Column;
  };
}
