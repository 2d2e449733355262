/** Jobs of the service: started, followed by their events, stopped; what a job has found so far is state of a component. */

import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import { ask, events, Problem } from "./api";

export interface Progress<A> {
  fraction: number;
  simulations_per_s: number | null;
  elapsed_s: number;
  /** Place in the queue, from 1; null once it runs. */
  queue_position: number | null;
  actions: A[];
}

export interface Job<R> {
  id: string;
  status: "queued" | "running" | "completed" | "aborted" | "interrupted" | "failed";
  queue_position: number | null;
  answer: R | null;
  error: { detail?: string; field?: string | null } | string | null;
}

export interface JobState<R, A> {
  phase: "idle" | "queued" | "running" | "done" | "failed";
  progress: Progress<A> | null;
  answer: R | null;
  problem: Problem | null;
}

export interface JobHandle<R, A> extends JobState<R, A> {
  busy: boolean;
  start: (path: string, body: unknown) => void;
  stop: () => void;
  reset: () => void;
}

const REOPENED = 3; // times that a broken stream is opened again

function failure(error: Job<unknown>["error"]): Problem {
  if (typeof error === "string") return new Problem(500, error);
  return new Problem(500, error?.detail ?? "", error?.field ?? null);
}

function progressed<R, A>(progress: Progress<A>): Partial<JobState<R, A>> {
  return { phase: progress.queue_position === null ? "running" : "queued", progress };
}

/** Follows a job to its end; `see` gets every state on the way. */
async function follow<R, A>(id: string, signal: AbortSignal, see: (state: Partial<JobState<R, A>>) => void): Promise<void> {
  for (let opened = 0; opened <= REOPENED; opened += 1) {
    for await (const { event, data } of events(`/jobs/${id}/events`, signal)) {
      if (event === "progress") see(progressed(data as Progress<A>));
      if (event === "failed") throw new Problem(500, (data as { detail?: string }).detail ?? "");
      if (event !== "done") continue;
      const job = data as Job<R>;
      if (job.answer === null) throw failure(job.error);
      see({ phase: "done", answer: job.answer });
      return;
    }
  }
  throw new Problem(0, "");
}

/** Waits for the end of a job; one that is no longer wanted is stopped. */
export async function finish(job: { id: string }, signal: AbortSignal): Promise<void> {
  try {
    await follow(job.id, signal, () => undefined);
  } finally {
    if (signal.aborted) await ask("DELETE", `/jobs/${job.id}`).catch(() => undefined);
  }
}

export function useJob<R, A>(): JobHandle<R, A> {
  const idle: JobState<R, A> = { phase: "idle", progress: null, answer: null, problem: null };
  const [state, setState] = useState(idle);
  const run = useRef<{ id: string | null; control: AbortController } | null>(null);

  const leave = useCallback(() => {
    const { id, control } = run.current ?? {};
    run.current = null;
    control?.abort();
    if (id) void ask("DELETE", `/jobs/${id}`).catch(() => undefined);
  }, []);
  useEffect(() => leave, [leave]);

  const start = useCallback(async (path: string, body: unknown) => {
    leave();
    const mine = { id: null as string | null, control: new AbortController() };
    run.current = mine;
    const see = (change: Partial<JobState<R, A>>) => {
      if (run.current === mine) setState((before) => ({ ...before, ...change }));
    };
    see({ ...idle, phase: "queued" });
    try {
      const job = await ask<Job<R>>("POST", path, body);
      mine.id = job.id;
      if (mine.control.signal.aborted) await ask("DELETE", `/jobs/${job.id}`);
      else await follow<R, A>(job.id, mine.control.signal, see);
    } catch (error) {
      if (!mine.control.signal.aborted) see({ phase: "failed", problem: error instanceof Problem ? error : new Problem(0, String(error)) });
    } finally {
      mine.id = null;
    }
  }, [leave]);

  const stop = useCallback(() => {
    const id = run.current?.id;
    if (id) void ask("DELETE", `/jobs/${id}`).catch(() => undefined);
  }, []);
  const reset = useCallback(() => {
    leave();
    setState(idle);
  }, [leave]);
  const busy = state.phase === "queued" || state.phase === "running";
  return { ...state, busy, start: (path, body) => void start(path, body), stop, reset };
}
