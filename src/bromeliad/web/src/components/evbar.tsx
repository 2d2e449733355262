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

const INTERVAL = 1.96;

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

export function EvBar({ ev, stderr, scale }: Valued & { scale: Scale }): JSX.Element | null {
  if (ev === null) return null;
  const at = (value: number) => (100 * (value - scale.low)) / (scale.high - scale.low);
  const reach = INTERVAL * (stderr ?? 0);
  const [from, to] = [Math.max(at(ev - reach), 0), Math.min(at(ev + reach), 100)];
  return (
    <svg class="ev-bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
      <rect class="track" x="0" y="3.5" width="100" height="3" rx="1.5" />
      <rect class="fill" x="0" y="3.5" width={at(ev)} height="3" rx="1.5" />
      {reach > 0 && <rect class="interval" x={from} y="1.5" width={Math.max(to - from, 0.4)} height="7" rx="1" />}
      <rect class="point" x={at(ev) - 0.5} y="0" width="1" height="10" />
    </svg>
  );
}
