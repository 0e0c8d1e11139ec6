/** Columns of a set, in their order. */
export const COLUMNS = [
  'user',
  'item',
  'ts',
  'value',
  'action',
  'weight',
  'inclusion_probability',
  'w_user',
  'w_item',
] as const;

/** Rows of a set as they are written: what they refer to is text here. */
export class SetRows {
  readonly user: string[] = [];
  readonly item: string[] = [];
  /** ms since the epoch. */
  readonly ts: number[] = [];
  readonly value: number[] = [];
  readonly action: string[] = [];
  readonly weight: number[] = [];
  readonly inclusion: number[] = [];
  readonly userSide: number[] = [];
  readonly itemSide: number[] = [];

  get length(): number {
    return this.user.length;
  }

  clear(): void {
    for (const column of Object.values(this)) column.length = 0;
  }
}

/** Takes rows in their order; what is handed over is used again afterwards. */
export interface RowSink {
  write(rows: SetRows): Promise<void> | void;
}
