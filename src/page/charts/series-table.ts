export type Labels = Readonly<Record<string, string | number | null>>;

/** A value; null: there was none, as of an estimate that is withheld; undefined: nobody asked. */
type Cell = number | null | undefined;
export type Column = readonly Cell[];

/** Series over common times, as they are loaded. */
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

/** Series over common times, loaded from the history and grown tick by tick. */
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

  /** Takes the history in; what came live meanwhile stays. */
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

  /** Adds a tick, or replaces the newest by one of the same time; an older one is passed over. */
  append(time: number, entries: Iterable<readonly [Labels, string, number | null]>): void {
    this.#add(time, entries, null);
  }

  /** @param absent what series have that are not among the entries. */
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

  /** Drops what lies before. */
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

/** The same for the same labels, whatever their order. */
function keyOf(labels: Labels): string {
  return JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** One line of a chart, or the points of one. */
export interface Line {
  /** Stands at the line's end and in the readout; '' for neither. */
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
