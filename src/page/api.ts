/**
 * Key under which the token is stored for the browser tab. The token is sent only in the request
 * header.
 */
const TOKEN_KEY = 'unskew-token';

/** Error if the service requires a token, or rejects the given one. */
export class TokenNeeded extends Error {
  readonly wasGiven: boolean;

  constructor(wasGiven: boolean) {
    super('a bearer token is needed');
    this.wasGiven = wasGiven;
  }
}

/** Error for a response other than 2xx; `detail` is the service's message. */
export class Refused extends Error {
  readonly detail: string;

  constructor(status: number, detail: string) {
    super(`the service answered ${status}`);
    this.detail = detail;
  }
}

export function keepToken(token: string): void {
  sessionStorage.setItem(TOKEN_KEY, token);
}

/**
 * Send a request for a path, with the stored token. @throws TokenNeeded, or Refused for any
 * response other than 2xx.
 */
export async function ask(path: string, signal?: AbortSignal): Promise<Response> {
  const token = sessionStorage.getItem(TOKEN_KEY);
  const headers: Record<string, string> = {};
  if (token !== null) {
    headers['authorization'] = `Bearer ${token}`;
  }
  const response = await fetch(path, {
    headers,
    cache: 'no-store',
    ...(signal === undefined ? {} : { signal }),
  });
  if (response.status === 401) throw new TokenNeeded(token !== null);
  if (!response.ok) throw new Refused(response.status, await detailOf(response));
  return response;
}

async function detailOf(response: Response): Promise<string> {
  const isProblem = response.headers.get('content-type')?.startsWith('application/problem+json');
  if (isProblem !== true) return `the service answered ${response.status}`;
  const { detail, title } = (await response.json()) as {
    detail?: string;
    title: string;
  };
  return detail ?? title;
}

export async function askJson<Answer>(path: string, signal?: AbortSignal): Promise<Answer> {
  return (await ask(path, signal)).json() as Promise<Answer>;
}
