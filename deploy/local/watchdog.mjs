// Outlives the process that started it. When its standard input closes, it kills the processes and
// removes the folders that it was given, except those taken back.
import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';

const pids = new Set();
const folders = new Set();

createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [verb, kind, ...rest] = line.split(' ');
    const kept = kind === 'pid' ? pids : folders;
    if (verb === 'add') kept.add(rest.join(' '));
    else kept.delete(rest.join(' '));
  })
  .on('close', () => {
    for (const pid of pids) {
      try {
        process.kill(Number(pid), 'SIGKILL');
      } catch {
        // The process has already ended.
      }
    }
    // A killed process may still be writing for a moment.
    setTimeout(() => {
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    }, 300);
  });
