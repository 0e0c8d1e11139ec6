/**
 * Flags of V8 for what runs for seconds. By itself V8 would optimise much code in threads of its own, and
 * most of the work is over before that is ready. Without it tests take a third less CPU.
 */
export const SHORT_LIVED: readonly string[] = [
  '--no-concurrent-recompilation',
  // From Node 22 on V8 counts in another way.
  ...(Number.parseInt(process.versions.node, 10) < 22 ? ['--interrupt-budget=600000'] : []),
];
