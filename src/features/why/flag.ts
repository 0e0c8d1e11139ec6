/**
 * The `--why` flag of `evaluate`. It has its own file so that printing help does not load the code
 * that computes the answer.
 */
export const WHY_FLAG = {
  name: 'why',
  help: 'show which items and groups of users cause the gaps, also in the report',
};
