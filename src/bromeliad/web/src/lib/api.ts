/** The service's HTTP API: requests, problems, and events streamed through fetch so that a token can be sent along. */

const BASE = "api/v1";
const NO_CONTENT = 204;
const TOKEN = "bromeliad.token";
const CLIENT = "bromeliad.client";

/** What the service says is wrong (problem+json), or that it cannot be reached (status 0). */
export class Problem extends Error {
  constructor(
    readonly status: number,
    detail: string,
    readonly field: string | null = null,
  ) {
    super(detail);
  }
}

let language = "en";

export function speak(to: string): void {
  language = to;
}

/** Keeps a token given by the page's address, and takes it out of the address. */
export function keepToken(): void {
  const address = new URL(location.href);
  const token = address.searchParams.get("token");
  if (token === null) return;
  sessionStorage.setItem(TOKEN, token);
  address.searchParams.delete("token");
  history.replaceState(null, "", address);
}

function headers(): Record<string, string> {
  const token = sessionStorage.getItem(TOKEN);
  const client = localStorage.getItem(CLIENT);
  const sent: Record<string, string> = { "Accept-Language": language };
  if (client) sent["X-Client"] = client;
  if (token) sent.Authorization = `Bearer ${token}`;
  return sent;
}

let known: Promise<void> | null = null;

/** Asks the service, once, for the secret that it knows this browser by, and keeps it. */
function introduce(): Promise<void> {
  known ??= fetch(`${BASE}/clients`, { method: "POST", headers: headers() }).then(
    async (response) => {
      if (response.ok) localStorage.setItem(CLIENT, ((await response.json()) as { client: string }).client);
      else known = null;
    },
    () => {
      known = null;
    },
  );
  return known;
}

async function problemOf(response: Response): Promise<Problem> {
  try {
    const data = (await response.json()) as { detail?: string; title?: string; field?: string };
    return new Problem(response.status, data.detail ?? data.title ?? response.statusText, data.field ?? null);
  } catch {
    return new Problem(response.status, response.statusText);
  }
}

async function send(method: string, path: string, body?: unknown, signal?: AbortSignal): Promise<Response> {
  await introduce();
  const init: RequestInit = { method, headers: headers() };
  if (signal) init.signal = signal;
  if (body !== undefined) {
    init.headers = { ...headers(), "Content-Type": "application/json" };
    init.body = JSON.stringify(body);
  }
  let response: Response;
  try {
    response = await fetch(`${BASE}${path}`, init);
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new Problem(0, "");
  }
  if (response.ok) return response;
  const problem = await problemOf(response);
  if (problem.field !== "X-Client" || !localStorage.getItem(CLIENT)) throw problem;
  localStorage.removeItem(CLIENT); // the service has another store now, and does not know this browser
  known = null;
  return send(method, path, body, signal);
}

export async function ask<T>(method: "GET" | "POST" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
  const response = await send(method, path, body);
  return (response.status === NO_CONTENT ? undefined : await response.json()) as T;
}

/** What is not JSON as a whole: lines of hand histories. */
export async function askText(path: string): Promise<string> {
  return (await send("GET", path)).text();
}

export interface ServerEvent {
  event: string;
  data: unknown;
}

function readEvent(block: string): ServerEvent | null {
  let event = "message";
  const data: string[] = [];
  for (const line of block.split("\n")) {
    if (line.startsWith("event:")) event = line.slice(6).trim();
    else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
  }
  return data.length ? { event, data: JSON.parse(data.join("\n")) } : null;
}

/** The events of a stream, until it ends. */
export async function* events(path: string, signal: AbortSignal): AsyncGenerator<ServerEvent> {
  const response = await send("GET", path, undefined, signal);
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const blocks = (rest + value).replaceAll("\r\n", "\n").split("\n\n");
    rest = blocks.pop() ?? "";
    for (const block of blocks) {
      const event = readEvent(block);
      if (event) yield event;
    }
  }
}
