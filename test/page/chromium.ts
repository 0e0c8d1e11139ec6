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

/** Without the windows of a desktop it takes a third less CPU than the whole of Chromium. */
const SHELL = 'chromium-headless-shell';

/**
 * The Chromium that CHROMIUM names, or the machine's, if possible the one without windows, which is
 * installed where that can be done.
 */
async function executable(): Promise<string> {
  const named = process.env['CHROMIUM'];
  if (named !== undefined) return named;
  try {
    await requireCommand(SHELL, SHELL, () => {});
    return `/usr/bin/${SHELL}`;
  } catch {
    // Not every system has it as a package.
    await requireCommand('chromium', 'chromium', () => {});
    return '/usr/bin/chromium';
  }
}

async function startOptions(): Promise<LaunchOptions> {
  return { executablePath: await executable(), headless: true, args: FLAGS };
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
