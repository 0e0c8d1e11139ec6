import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { LATER_OPTIMIZATION } from '../../../../src/commands/files/later-optimization.js';

it('LATER_OPTIMIZATION names a flag that this version of Node has', () => {
  const flag = LATER_OPTIMIZATION[process.versions.node.split('.', 1)[0]!];
  const { stdout } = spawnSync(process.execPath, ['--v8-options'], { encoding: 'utf8' });
  const name = flag?.slice(0, flag.indexOf('='));
  expect(stdout).toContain(`  ${name} (`);
});
