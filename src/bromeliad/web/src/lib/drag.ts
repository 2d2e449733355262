/** Dragging a card with the pointer onto an element with `data-zone`; a press without a move stays a click. */

import type { TargetedPointerEvent } from "preact";
import { useEffect, useRef } from "preact/hooks";

const THRESHOLD = 6; // pixels before a press becomes a drag

interface Held {
  item: string;
  source: HTMLElement;
  x: number;
  y: number;
  ghost: HTMLElement | null;
  over: Element | null;
}

function makeGhost(source: HTMLElement): HTMLElement {
  const ghost = source.cloneNode(true) as HTMLElement;
  const box = source.getBoundingClientRect();
  ghost.classList.add("ghost");
  ghost.removeAttribute("id");
  ghost.setAttribute("aria-hidden", "true");
  ghost.style.width = `${box.width}px`;
  ghost.style.height = `${box.height}px`;
  document.body.append(ghost);
  return ghost;
}

function zoneUnder(x: number, y: number): Element | null {
  return document.elementFromPoint(x, y)?.closest("[data-zone]") ?? null;
}

export interface Drag {
  (item: string): { onPointerDown: (event: TargetedPointerEvent<HTMLElement>) => void };
}

/** Returns a function that makes an element draggable; `drop` hears which item landed on which zone. */
export function useDrag(drop: (item: string, zone: string) => void): Drag {
  const latest = useRef(drop);
  latest.current = drop;
  const held = useRef<Held | null>(null);

  useEffect(() => {
    const end = (landed: boolean, event?: PointerEvent) => {
      const now = held.current;
      held.current = null;
      if (!now?.ghost) return;
      now.ghost.remove();
      now.over?.classList.remove("over");
      now.source.classList.remove("held");
      if (!landed || !event) return;
      const swallow = (click: Event) => click.stopPropagation();
      window.addEventListener("click", swallow, { capture: true, once: true });
      setTimeout(() => window.removeEventListener("click", swallow, { capture: true }), 0);
      const zone = zoneUnder(event.clientX, event.clientY)?.getAttribute("data-zone");
      if (zone) latest.current(now.item, zone);
    };
    const move = (event: PointerEvent) => {
      const now = held.current;
      if (!now) return;
      if (!now.ghost) {
        if (Math.hypot(event.clientX - now.x, event.clientY - now.y) < THRESHOLD) return;
        now.ghost = makeGhost(now.source);
        now.source.classList.add("held");
      }
      now.ghost.style.translate = `calc(${event.clientX}px - 50%) calc(${event.clientY}px - 50%)`;
      const over = zoneUnder(event.clientX, event.clientY);
      if (over === now.over) return;
      now.over?.classList.remove("over");
      over?.classList.add("over");
      now.over = over;
    };
    const up = (event: PointerEvent) => end(true, event);
    const cancel = () => end(false);
    window.addEventListener("pointermove", move);
    window.addEventListener("pointerup", up);
    window.addEventListener("pointercancel", cancel);
    return () => {
      cancel();
      window.removeEventListener("pointermove", move);
      window.removeEventListener("pointerup", up);
      window.removeEventListener("pointercancel", cancel);
    };
  }, []);

  return (item) => ({
    onPointerDown: (event) => {
      if (event.button !== 0 || !event.isPrimary) return;
      if (event.currentTarget.hasPointerCapture(event.pointerId)) event.currentTarget.releasePointerCapture(event.pointerId);
      held.current = { item, source: event.currentTarget, x: event.clientX, y: event.clientY, ghost: null, over: null };
    },
  });
}
