/** An EV on a common scale: a point, and the 95 % interval around it where it was sampled. */

import type { JSX } from "preact";

export interface Scale {
  low: number;
  high: number;
}

export interface Valued {
  ev: number | null;
  stderr: number | null;
}

export const INTERVAL = 1.96; // standard errors either side of a 95 % interval

export function scaleOf(items: readonly Valued[]): Scale {
  const ends = items.flatMap(({ ev, stderr }) => {
    if (ev === null) return [];
    const reach = INTERVAL * (stderr ?? 0);
    return [ev - reach, ev + reach];
  });
  if (!ends.length) return { low: 0, high: 1 };
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const room = 0.04 * (high - low) || 0.5;
  return { low: low - room, high: high + room };
}

interface EvBarProps extends Valued {
  scale: Scale;
  /** Where the best one is: a line through all bars. */
  best?: number | null;
}

export function EvBar({ ev, stderr, scale, best }: EvBarProps): JSX.Element {
  const at = (value: number) => (100 * (value - scale.low)) / (scale.high - scale.low);
  if (ev === null) return <span class="ev-bar" />;
  const reach = INTERVAL * (stderr ?? 0);
  const [from, to] = [Math.max(at(ev - reach), 0), Math.min(at(ev + reach), 100)];
  return (
    <svg class="ev-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" x="0" y="4.6" width="100" height="0.8" />
      {best != null && <rect class="line" x={at(best) - 0.3} y="0" width="0.6" height="10" />}
      {reach > 0 && <rect class="interval" x={from} y="2.5" width={Math.max(to - from, 0.4)} height="5" />}
      <rect class="point" x={at(ev) - 0.9} y="0.8" width="1.8" height="8.4" />
    </svg>
  );
}
