/** A chart of lines and points, as wide as there is room; the reader's finger or mouse reads its values. */

import type { JSX, TargetedPointerEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { fixed, thousands } from "../lib/numbers";

export interface Series {
  label: string;
  values: readonly (number | null)[];
  colour: "leaf" | "bloom" | "sky" | "soft";
  /** Points without a line between them. */
  points?: boolean;
}

interface ChartProps {
  label: string;
  x: readonly number[];
  series: readonly Series[];
  /** What the numbers of x count. */
  across: string;
  percent?: boolean;
  height?: number;
  /** Called with the place in x that was clicked. */
  onPick?: (at: number) => void;
}

const FEW = 30; // points that are drawn one by one
const [LEFT, RIGHT, TOP, BOTTOM] = [46, 10, 10, 24]; // room for the axes
const STEPS = [1, 2, 2.5, 5, 10];

/** Round values across an axis, about `count` of them. */
function ticks(low: number, high: number, count: number, whole = false): number[] {
  const rough = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const fitting = STEPS.map((step) => step * power).find((step) => step >= rough && (!whole || Number.isInteger(step)));
  const step = fitting ?? Math.max(10 * power, whole ? 1 : 0);
  const first = Math.ceil(low / step - 1e-9);
  return Array.from({ length: Math.max(Math.floor(high / step + 1e-9) - first + 1, 0) }, (_, at) => (first + at) * step);
}

/** The ends of the axis of values; around values that are all the same, one to each side. */
function rangeOf(values: readonly number[], percent: boolean): [number, number] {
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (percent) return [0, Math.min(Math.max(1.15 * high, 0.1), 1)];
  const room = low === high ? 1 : 0.1 * (high - low);
  return [low >= 0 && low - room < 0 && low !== high ? 0 : low - room, high + room];
}

/** Whether a number has no more than so many decimal places. */
function isRound(value: number, places: number): boolean {
  const shifted = value * 10 ** places;
  return Math.abs(shifted - Math.round(shifted)) < 1e-6;
}

function useWidth(): [{ current: HTMLDivElement | null }, number] {
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry?.contentRect.width ?? 0)));
    if (box.current) observer.observe(box.current);
    return () => observer.disconnect();
  }, []);
  return [box, width];
}

export function Chart(props: ChartProps): JSX.Element {
  const [box, width] = useWidth();
  const { label, height = 220 } = props;
  return (
    <div class="chart" role="img" aria-label={label} ref={box} style={{ minHeight: `${height}px` }}>
      {width > 0 && <Drawn {...props} {...{ width, height }} />}
    </div>
  );
}

function Drawn({ x, series, across, percent = false, width, height, onPick }: ChartProps & { width: number; height: number }): JSX.Element {
  const [under, setUnder] = useState<number | null>(null);
  const [first, last] = [x[0] ?? 0, x.at(-1) ?? 0];
  const [low, high] = rangeOf(series.flatMap(({ values }) => values.filter((value) => value !== null)), percent);
  const right = (value: number) => LEFT + ((width - LEFT - RIGHT) * (value - first)) / Math.max(last - first, 1);
  const up = (value: number) => height - BOTTOM - ((height - TOP - BOTTOM) * (value - low)) / (high - low);
  const text = (value: number, digits: number) => (percent ? `${fixed(100 * value, digits)} %` : fixed(value, digits));
  const rows = ticks(low, high, 4);
  const digits = [0, 1].find((count) => rows.every((row) => isRound(row * (percent ? 100 : 1), count))) ?? 2;
  const nearest = (event: TargetedPointerEvent<SVGSVGElement>) => {
    const at = event.clientX - event.currentTarget.getBoundingClientRect().left;
    return x.reduce((best, value, i) => (Math.abs(right(value) - at) < Math.abs(right(x[best]!) - at) ? i : best), 0);
  };
  const at = under ?? x.length - 1;
  return (
    <>
      <svg width={width} height={height} class={onPick ? "pickable" : ""} aria-hidden="true" onPointerMove={(event) => setUnder(nearest(event))} onPointerLeave={() => setUnder(null)} onClick={(event) => onPick?.(nearest(event as unknown as TargetedPointerEvent<SVGSVGElement>))}>
        {rows.map((row) => (
          <g key={row}>
            <line class="grid" x1={LEFT} x2={width - RIGHT} y1={up(row)} y2={up(row)} />
            <text class="row-tick" x={LEFT - 8} y={up(row) + 4}>{text(row, digits)}</text>
          </g>
        ))}
        {ticks(first, Math.max(last, first + 1), Math.max(Math.floor(width / 90), 2), true).filter((tick) => tick <= last).map((tick) => (
          <text class="column-tick" key={tick} x={right(tick)} y={height - 6}>{thousands(tick)}</text>
        ))}
        {under !== null && <line class="cursor" x1={right(x[under]!)} x2={right(x[under]!)} y1={TOP} y2={height - BOTTOM} />}
        {series.map((line) => (
          <Line key={line.label} line={line} dots={line.points || x.length <= FEW} place={(i, value) => [right(x[i]!), up(value)]} />
        ))}
      </svg>
      <p class="legend">
        <span>{across} {thousands(x[at] ?? 0)}</span>
        {series.map(({ label, colour, values }) => (
          <span key={label}>
            <i class={colour} /> {label} <b>{values[at] == null ? "–" : text(values[at], percent ? 1 : 2)}</b>
          </span>
        ))}
      </p>
    </>
  );
}

interface LineProps {
  line: Series;
  dots: boolean;
  place: (at: number, value: number) => [number, number];
}

function Line({ line: { values, colour, points }, dots, place }: LineProps): JSX.Element {
  const spots = values.flatMap((value, at) => (value === null ? [] : [place(at, value)]));
  return (
    <g class={colour}>
      {!points && <polyline points={spots.map(([x, y]) => `${x.toFixed(1)},${y.toFixed(1)}`).join(" ")} />}
      {dots && spots.map(([x, y], at) => <circle key={at} cx={x} cy={y} r="3" />)}
    </g>
  );
}

/** The mean of the last `window` values at each of them. */
export function movingMean(values: readonly number[], window: number): number[] {
  return values.map((_, at) => {
    const part = values.slice(Math.max(at + 1 - window, 0), at + 1);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}
