import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts the machine's Chromium; installs it where that can be done, and says so where not. */
export async function launchChromium(): Promise<Browser> {
  const executablePath = process.env['CHROMIUM'] ?? '/usr/bin/chromium';
  if (!existsSync(executablePath)) install(executablePath);
  return chromium.launch({ executablePath, headless: true, args: FLAGS });
}

function install(executablePath: string): void {
  const help = `${executablePath} is missing: install Chromium, or name one in CHROMIUM`;
  if (process.env['CHROMIUM'] !== undefined || process.getuid?.() !== 0) throw new Error(help);
  for (const args of [['update'], ['install', '-y', '--no-install-recommends', 'chromium']]) {
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
    const run = spawnSync('apt-get', args, { encoding: 'utf8', env });
    if (run.status !== 0)
      throw new Error(`${help} (apt-get ${args[0]}: ${run.error?.message ?? run.stderr})`);
  }
}
