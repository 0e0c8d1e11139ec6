/** Rows of some users: those of user u are start .. userStart[u + 1] − 1, each with an item. */
export interface UserRows {
  readonly users: number;
  readonly userStart: Int32Array;
  readonly item: Int32Array;
}
