import { readFileSync } from 'node:fs';

/**
 * Loaded before a program, it makes the program's clock differ from the machine's by what a file
 * says, in ms: `node --import stepped-clock.mjs`, with the file's path in STEPPED_CLOCK.
 */
const path = process.env.STEPPED_CLOCK;
const LOOK_EVERY_MS = 100;
const real = Date.now.bind(Date);
let offset = 0;

function look() {
  const read = Number(readFileSync(path, 'utf8'));
  // A file that is being written is empty for a moment.
  if (Number.isFinite(read)) offset = read;
}

if (path !== undefined) {
  look();
  setInterval(look, LOOK_EVERY_MS).unref();
  Date.now = () => real() + offset;
}
