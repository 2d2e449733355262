/** On narrow screens, where columns lie below each other, what somebody asked for is brought into sight. */

const STACKED = "(max-width: 960px)"; // as in style/layout.css

export function bringIntoSight(element: Element | null, block: "start" | "nearest" = "start"): void {
  if (!matchMedia(STACKED).matches) return;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  requestAnimationFrame(() => element?.scrollIntoView({ block, behavior: still ? "auto" : "smooth" }));
}
