export const stop: never = 'read NOTE-TO-YOU.md in the root of this worktree';
