/** The flag of `evaluate` that asks for it; apart from what answers, which help need not load. */
export const WHY_FLAG = {
  name: 'why',
  help: 'say which items and groups of users are behind the gaps, in the report too',
};
