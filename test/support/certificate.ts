import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { requireCommand } from '../../deploy/services.mjs';

const run = promisify(execFile);

/** Files of a certificate for this machine, trusted only by those who are given it. */
export async function certificate(folder: string): Promise<{ key: string; cert: string }> {
  await requireCommand('openssl', 'openssl', () => {});
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => join(folder, name)) as [string, string];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
  const kind = ['-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2'];
  await run('openssl', ['req', ...kind, '-keyout', key, '-out', cert, ...subject]);
  return { key, cert };
}
