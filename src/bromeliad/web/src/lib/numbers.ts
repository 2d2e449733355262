/** Numbers as people read them. */

const MINUS = "−";

export function fixed(value: number, digits = 2): string {
  const text = Math.abs(value).toFixed(digits);
  return value < 0 && Number(text) !== 0 ? MINUS + text : text;
}

/** With its sign, for results and differences. */
export function signed(value: number, digits = 2): string {
  const text = fixed(value, digits);
  return text.startsWith(MINUS) || Number(text) === 0 ? text : `+${text}`;
}

export function percent(share: number): string {
  const points = 100 * share;
  if (points > 0 && points < 0.05) return "<0.1\u00a0%";
  if (points < 100 && points >= 99.5) return ">99\u00a0%";
  return `${points > 0 && points < 9.95 ? points.toFixed(1) : Math.round(points)}\u00a0%`;
}

export function thousands(value: number): string {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, " ");
}

/** What was typed as a number; what is none stays text, for the service to say what is wrong. */
export function numeric(text: string): number | string {
  return text.trim() === "" || Number.isNaN(Number(text)) ? text.trim() : Number(text);
}
