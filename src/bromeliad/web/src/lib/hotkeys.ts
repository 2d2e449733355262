/** Single keys that act on the visible tab, unless somebody types. */

import { useEffect, useRef } from "preact/hooks";

export function useHotkeys(enabled: boolean, keys: Record<string, () => void>): void {
  const latest = useRef(keys);
  latest.current = keys;
  useEffect(() => {
    if (!enabled) return undefined;
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      if ((event.target as Element).closest("input, select, textarea")) return;
      const act = latest.current[event.key.toLowerCase()];
      if (!act) return;
      event.preventDefault();
      act();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, [enabled]);
}
