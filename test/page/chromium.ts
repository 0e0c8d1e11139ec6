import {
  type Browser,
  type BrowserServer,
  chromium,
  type LaunchOptions,
  type Locator,
  type Page,
} from 'playwright-core';
import { requireCommand } from '../../deploy/services.mjs';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** The machine's Chromium, or the one that CHROMIUM names; installs it where that can be done. */
async function startOptions(): Promise<LaunchOptions> {
  const named = process.env['CHROMIUM'];
  if (named === undefined) await requireCommand('chromium', 'chromium', () => {});
  return { executablePath: named ?? '/usr/bin/chromium', headless: true, args: FLAGS };
}

/** Starts a Chromium for the caller alone. */
export async function launchChromium(): Promise<Browser> {
  return chromium.launch(await startOptions());
}

/** Starts a Chromium that other processes connect to. */
export async function serveChromium(): Promise<BrowserServer> {
  return chromium.launchServer({ ...(await startOptions()), host: '127.0.0.1' });
}

/** Opens all parts of the page: what is closed is not drawn. */
export async function openParts(page: Page): Promise<void> {
  await page.locator('#panels > details').first().waitFor();
  await page.evaluate(
    'for (const part of document.querySelectorAll("#panels > details")) part.open = true',
  );
  await page.locator('#numbers table').waitFor();
}

/**
 * What the elements below one that stays say. All are read in one step: a page that draws itself
 * again between finding them and reading them would leave elements that no longer stand in it,
 * whose cells run together.
 */
export function textsBelow(place: Locator, selector: string): Promise<string[]> {
  return place.evaluate(
    (box, wanted) =>
      Array.from(
        box.querySelectorAll(wanted) as { innerText: string }[],
        (found) => found.innerText,
      ),
    selector,
  );
}
