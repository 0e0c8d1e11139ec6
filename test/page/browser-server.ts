import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { BrowserServer } from 'playwright-core';
import type { TestProject } from 'vitest/node';
import { serveChromium } from './chromium.js';

declare module 'vitest' {
  export interface ProvidedContext {
    /** Answers with the WebSocket endpoint of the browser. */
    browserAddress: string;
  }
}

/** Starts one Chromium for all test files when the first of them asks for it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  let browser: Promise<BrowserServer> | undefined;
  const server = createServer(async (_request, response) => {
    try {
      browser ??= serveChromium();
      response.end((await browser).wsEndpoint());
    } catch (error) {
      response.writeHead(500).end(`Chromium did not start: ${error}`);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  project.provide('browserAddress', `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return async () => {
    server.close();
    server.closeAllConnections();
    // One that did not start has said so to the test that asked for it.
    await browser?.then(
      (started) => started.close(),
      () => {},
    );
  };
}
