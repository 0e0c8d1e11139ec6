export type Labels = Readonly<Record<string, string | number | null>>;

/** A value; null if there was none, for example for a withheld estimate; undefined if not requested. */
type Cell = number | null | undefined;
export type Column = readonly Cell[];

/** Loaded series with common times. */
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

/** Series with common times, loaded from the history and extended by ticks. */
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

  /** The values of a series, as long as `times`; all null where there is none. */
  column(labels: Labels, value: string): Column {
    const known = this.#rows.get(keyOf(labels))?.values.get(value);
    return known ?? this.#times.map(() => null);
  }

  /** Load the history, and keep newer live values. */
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
    // What came live says nothing about series that only the history was asked for.
    for (const [time, entries] of live) {
      if (time > newest) {
        this.#add(time, entries, undefined);
      }
    }
  }

  /** Add a tick, or replace the newest with the same time; older ones are ignored. */
  append(time: number, entries: Iterable<readonly [Labels, string, number | null]>): void {
    this.#add(time, entries, null);
  }

  /** @param absent value of series that are not among the entries. */
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

  /** Drop older values. */
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

/** One line of a chart, or the points of one. */
export interface Line {
  /** Text at the line's end and in the readout; '' for none. */
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
