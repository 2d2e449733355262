/** Line icons, drawn here. */

import type { JSX } from "preact";

const PATHS = {
  analyse: "M4 19h16M6 16v-4M11 16V6M16 16V9M20 5l-4 4-5-3-5 6",
  fantasyland: "M12 3l2.6 5.7 6.2.6-4.7 4.1 1.4 6.100L12 16.3 6.5 19.500l1.4-6.100L3.2 9.300l6.2-.6z",
  openings: "M4 5.500c3-1.500 6-1 8 .5 2-1.500 5-2 8-.5V19c-3-1.500-6-1-8 .5-2-1.500-5-2-8-.5zM12 6v13.500",
  play: "M5 7h9v13H5zM9 4h10v13M8 11h3",
  train: "M12 21a9 9 0 1 1 9-9M12 16a4 4 0 1 1 4-4M12 12l8-8M17 4v3h3",
  review: "M4 12a8 8 0 1 1 3 6.200M4 12l-1.5-2M4 12l2.5-1.500M12 8v4l3 2",
  statistics: "M4 20V4M4 20h16M8 16l4-5 3 3 5-7",
  gomoku: "M4 8h16M4 16h16M8 4v16M16 4v16",
  sequence: "M5 5h.01M9.5 9.5h.01M14 14h.01M18.500 18.500h.01M14 4h6v6h-6zM4 14h6v6H4z",
  close: "M6 6l12 12M18 6L6 18",
  undo: "M9 7L4 12l5 5M4 12h10a5 5 0 0 1 0 10h-2",
  share: "M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-6-6l-1 1M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 6 6l1-1",
  dice: "M5 5h14v14H5zM9 9h.01M15 15h.01M12 12h.01M15 9h.01M9 15h.01",
  theme: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13",
  previous: "M15 5l-7 7 7 7",
  next: "M9 5l7 7-7 7",
  keys: "M3 7h18v10H3zM6.500 10.500h.01M10 10.500h.01M13.500 10.500h.01M17 10.500h.01M8 14h8",
  up: "M5 15l7-7 7 7",
  down: "M5 9l7 7 7-7",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name }: { name: IconName }): JSX.Element {
  return (
    <svg class="line-icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d={PATHS[name]} />
    </svg>
  );
}
