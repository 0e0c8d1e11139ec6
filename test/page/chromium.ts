import { type Browser, chromium } from 'playwright-core';
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
