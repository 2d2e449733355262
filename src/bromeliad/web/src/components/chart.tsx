/** A chart of uPlot in the colours of the page, as wide as there is room. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";

export interface Series {
  label: string;
  values: (number | null)[];
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
}

const WHOLE = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 20000, 50000, 100000];

const FEW = 30; // points that are drawn one by one

function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** The ends of an axis; around values that are all the same, one to each side. */
function rangeOf(low: number, high: number): uPlot.Range.MinMax {
  return low === high ? [low - 1, high + 1] : uPlot.rangeNum(low, high, 0.1, true);
}

function options({ x, series, across, percent }: ChartProps, width: number, height: number): uPlot.Options {
  const few = x.length <= FEW;
  const axis = { stroke: colour("soft"), grid: { stroke: colour("line"), width: 1 }, ticks: { show: false }, font: "12px system-ui" };
  const format = (values: number[]) => values.map((value) => (percent ? `${Math.round(100 * value)} %` : String(value)));
  return {
    width,
    height,
    scales: { x: { time: false }, y: { range: (_, low, high) => (percent ? [0, Math.min(Math.max(1.15 * high, 0.1), 1)] : rangeOf(low, high)) } },
    axes: [{ ...axis, incrs: WHOLE }, { ...axis, size: 52, values: (_, splits) => format(splits) }],
    series: [
      { label: across },
      ...series.map((line) => ({
        label: line.label,
        stroke: colour(line.colour),
        width: 2,
        points: { show: line.points ?? few, size: 6 },
        spanGaps: true,
        ...(line.points ? { paths: () => null } : {}),
        value: (_: uPlot, value: number | null) => (value === null ? "–" : percent ? `${(100 * value).toFixed(1)} %` : value.toFixed(2)),
      })),
    ],
    cursor: { y: false },
  };
}

export function Chart(props: ChartProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null);
  const { label, x, series, height = 220 } = props;
  const content = JSON.stringify([x, series]);
  useEffect(() => {
    const element = box.current;
    if (!element) return undefined;
    let chart: uPlot | null = null;
    const draw = () => {
      chart?.destroy();
      const data: uPlot.AlignedData = [[...x], ...series.map(({ values }) => values)];
      chart = element.clientWidth ? new uPlot(options(props, element.clientWidth, height), data, element) : null;
    };
    const observer = new ResizeObserver(draw);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    observer.observe(element);
    dark.addEventListener("change", draw);
    window.addEventListener("bromeliad:theme", draw);
    return () => {
      observer.disconnect();
      dark.removeEventListener("change", draw);
      window.removeEventListener("bromeliad:theme", draw);
      chart?.destroy();
    };
  }, [content]);
  return <div class="chart" role="img" aria-label={label} ref={box} />;
}

/** The mean of the last `window` values at each of them. */
export function movingMean(values: readonly number[], window: number): number[] {
  return values.map((_, at) => {
    const part = values.slice(Math.max(at + 1 - window, 0), at + 1);
    return part.reduce((sum, value) => sum + value, 0) / part.length;
  });
}
