import { type Browser, chromium } from 'playwright-core';
import { inject } from 'vitest';

/** How long an action waits for what it acts on: a machine that does other work is slow. */
const PATIENCE_MS = 120_000;

/**
 * Connects to the one Chromium of all test files, see `browser-server.ts`. To close it closes the
 * pages of this connection alone.
 */
export async function sharedBrowser(): Promise<Browser> {
  const response = await fetch(inject('browserAddress'));
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  const browser = await chromium.connect(text);
  browser.on('context', (context) => context.setDefaultTimeout(PATIENCE_MS));
  return browser;
}
