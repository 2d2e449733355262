/** Single keys that act on the visible tab, unless somebody types. */

import type { Ref } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";

const TYPING = "input, select, textarea";
const PRESSED = "a, summary, button"; // Enter presses these

/** A key's action returns false where it has nothing to do; the browser then does what it always does. */
export function useHotkeys(enabled: boolean, keys: Record<string, () => unknown>): void {
  const latest = useRef(keys);
  latest.current = keys;
  // As soon as it is drawn, not after it is painted: a quick player's next key comes before that.
  useLayoutEffect(() => {
    if (!enabled) return undefined;
    const pressed = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const key = event.key.toLowerCase();
      const target = event.target as Element;
      if (target.closest(TYPING) || (key === "enter" && target.closest(PRESSED))) return;
      const act = latest.current[key];
      if (!act || act() === false) return;
      event.preventDefault();
    };
    window.addEventListener("keydown", pressed);
    return () => window.removeEventListener("keydown", pressed);
  }, [enabled]);
}

/** A button that gets the focus once an expected change is there, so that Enter presses it and not what caused the change. */
export function useNextButton(changing: unknown): { button: Ref<HTMLButtonElement>; expect: () => void } {
  const button = useRef<HTMLButtonElement>(null);
  const expected = useRef(false);
  useEffect(() => {
    if (expected.current) button.current?.focus({ preventScroll: true });
    expected.current = false;
  }, [changing]);
  return { button, expect: () => void (expected.current = true) };
}
