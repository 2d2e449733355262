/** Cards that glide to their new places: elements with `data-card` inside a container, told apart by that name. */

import type { RefObject } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

const TIME = 180; // milliseconds
const EASE = "cubic-bezier(.2, .8, .3, 1)";

export function useFlip(container: RefObject<HTMLElement | null>): void {
  const places = useRef(new Map<string, DOMRect>());
  useLayoutEffect(() => {
    const found = new Map<string, DOMRect>();
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    for (const element of container.current?.querySelectorAll<HTMLElement>("[data-card]") ?? []) {
      const name = element.dataset.card!;
      const now = element.getBoundingClientRect();
      const before = places.current.get(name);
      found.set(name, now);
      if (still || !before || !now.width || (Math.abs(before.x - now.x) < 2 && Math.abs(before.y - now.y) < 2)) continue;
      const from = `translate(${before.x - now.x}px, ${before.y - now.y}px) scale(${before.width / now.width})`;
      element.animate([{ transform: from, transformOrigin: "0 0" }, { transform: "none", transformOrigin: "0 0" }], { duration: TIME, easing: EASE });
    }
    places.current = found;
  });
}
