/** Times as the reader's language writes them. */

export function dateTime(text: string, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: "medium", timeStyle: "short" }).format(new Date(text));
}

const MINUTE = 60_000; // milliseconds
const HOUR = 60 * MINUTE;

/** A time to come as people say it: in 10 minutes, in 5 hours, tomorrow, in 12 days. */
export function fromNow(text: string, language: string, now = new Date()): string {
  const then = new Date(text);
  const say = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
  const left = then.getTime() - now.getTime();
  if (left < HOUR) return say.format(Math.max(Math.round(left / MINUTE), 1), "minute");
  const midnight = (day: Date) => new Date(day.getFullYear(), day.getMonth(), day.getDate()).getTime();
  const days = Math.round((midnight(then) - midnight(now)) / (24 * HOUR));
  return days > 0 ? say.format(days, "day") : say.format(Math.round(left / HOUR), "hour");
}
