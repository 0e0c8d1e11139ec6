#!/usr/bin/env node
// The command. A package brings what it runs; a checkout builds it on `npm ci`.
import { existsSync } from 'node:fs';

const program = new URL('../dist/main.js', import.meta.url);
if (existsSync(program)) {
  await import(program.href);
} else {
  process.stderr.write('unskew: this checkout is not built yet: run npm ci\n');
  process.exitCode = 1;
}
