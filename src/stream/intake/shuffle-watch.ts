/** What is seen of the intake from outside. */
export interface ShuffleWatch {
  /** Records of a topic by what became of them. */
  records(topic: string, outcomes: ReadonlyMap<string, number>): void;
  /** Records of a partition that are not read, and its newest event time, ms. */
  stands(topic: string, partition: number, lag: number, newest: number): void;
}
