/**
 * The `--why` flag of `evaluate`. It has its own file so that printing help does not load the code
 * that computes the answer.
 */
export const WHY_FLAG = {
  name: 'why',
  help: 'say which items and groups of users are behind the gaps, in the report too',
};
