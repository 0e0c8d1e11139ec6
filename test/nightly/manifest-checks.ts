import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const VALIDATE = 'sigs.k8s.io/kubectl-validate@v0.0.4';
const MODELS = '@kubernetes-models/prometheus-operator@6.0.0';

/** A program of Go's, built once into a folder of its own. */
export function goProgram(source: string): string {
  const [path, version] = source.split('@') as [string, string];
  const name = path.slice(path.lastIndexOf('/') + 1);
  const folder = join(ROOT, '.cache', `${name}-${version}`);
  if (!existsSync(join(folder, name))) {
    const env = { ...process.env, GOBIN: folder };
    execFileSync('go', ['install', source], { env, stdio: 'inherit' });
  }
  return join(folder, name);
}

/** @throws where Kubernetes' own schemas refuse what a file or folder holds */
export function validateBuiltIn(path: string): void {
  execFileSync(goProgram(VALIDATE), [path], { stdio: 'inherit' });
}

interface Checked {
  /** @throws where the schema of its kind refuses it */
  validate(): void;
}

/** By the operator's own schema, which is not among those of Kubernetes. */
export async function validatePodMonitor(manifest: object): Promise<void> {
  const folder = join(ROOT, '.cache', 'kubernetes-models-6.0.0');
  const module = '@kubernetes-models/prometheus-operator/monitoring.coreos.com/v1/PodMonitor.js';
  const file = join(folder, 'node_modules', module);
  if (!existsSync(file)) {
    mkdirSync(folder, { recursive: true });
    const flags = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
    execFileSync('npm', ['install', ...flags, MODELS], { cwd: folder, stdio: 'inherit' });
  }
  const { PodMonitor } = (await import(pathToFileURL(file).href)) as {
    PodMonitor: new (manifest: object) => Checked;
  };
  new PodMonitor(manifest).validate();
}
