import { type Browser, chromium } from 'playwright-core';
import { addressOf } from '../support/shared/address-of.js';

/** How long an action waits for what it acts on: a machine that does other work is slow. */
const PATIENCE_MS = 120_000;

/** The tests are compiled with the names of functions kept, also of those that a page evaluates. */
const KEEP_NAMES = 'globalThis.__name = (own) => own';

/**
 * Connects to the one Chromium of all test files. To close it closes the
 * pages of this connection alone.
 */
export async function sharedBrowser(): Promise<Browser> {
  const browser = await chromium.connect(await addressOf('browser'));
  browser.on('context', async (context) => {
    context.setDefaultTimeout(PATIENCE_MS);
    await context.addInitScript(KEEP_NAMES);
  });
  return browser;
}
