/** The address: `#tab?query`. A position is in it, so that it can be shared. */

import { useEffect, useRef, useState } from "preact/hooks";

export interface Route {
  tab: string;
  query: URLSearchParams;
}

export function readRoute(): Route {
  const [tab = "", query = ""] = location.hash.replace(/^#/, "").split("?", 2);
  return { tab, query: new URLSearchParams(query) };
}

export function routeText(tab: string, query = ""): string {
  return `#${tab}${query ? `?${query}` : ""}`;
}

/** Changes the address without a step in the browser's history. */
export function replaceRoute(tab: string, query: string): void {
  const to = routeText(tab, query);
  if (location.hash !== to) history.replaceState(null, "", to);
}

/** Changes the address with a step in the browser's history, so that Back returns to what was there. */
export function pushRoute(tab: string, query: string): void {
  const to = routeText(tab, query);
  if (location.hash !== to) history.pushState(null, "", to);
}

export function openRoute(tab: string, query = ""): void {
  location.hash = routeText(tab, query);
}

/** Hears when somebody opens a link to this tab while the page is there. */
export function useOpened(tab: string, opened: (query: URLSearchParams) => void): void {
  const latest = useRef(opened);
  latest.current = opened;
  useEffect(() => {
    const changed = () => {
      const route = readRoute();
      if (route.tab === tab && route.query.size) latest.current(route.query);
    };
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, [tab]);
}

export function useRoute(): Route {
  const [route, setRoute] = useState(readRoute);
  useEffect(() => {
    const changed = () => setRoute(readRoute());
    window.addEventListener("hashchange", changed);
    return () => window.removeEventListener("hashchange", changed);
  }, []);
  return route;
}
