import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
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

/** Starts the machine's Chromium, or the one that CHROMIUM names; installs it where that can be done. */
export async function launchChromium(): Promise<Browser> {
  const named = process.env['CHROMIUM'];
  if (named === undefined) await requireCommand('chromium', 'chromium', () => {});
  const executablePath = named ?? '/usr/bin/chromium';
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
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
