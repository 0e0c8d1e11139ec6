/** What `scanner-code.ts` has to be. */
export function scannerCode(): Promise<string>;
