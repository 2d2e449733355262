/** The opponents, from the weakest to the strongest. */

import type { JSX } from "preact";
import { LEVELS } from "../../lib/names";
import { useText } from "../../lib/settings";
import type { Key } from "../../texts";

const STYLES: readonly Key[] = ["level_1", "level_2", "level_3", "level_4", "level_5", "level_6"];
const LEAF = "M0 0C-7-7-6-19 0-28 6-19 7-7 0 0z"; // points up

export function Ladder({ value, onChange }: { value: string; onChange: (strategy: string) => void }): JSX.Element {
  const t = useText();
  return (
    <fieldset class="ladder">
      <legend>{t("opponentLevel")}</legend>
      {LEVELS.map(([name, strategy], at) => (
        <label key={strategy} class="level">
          <input type="radio" name="opponent" class="only-heard" value={strategy} checked={value === strategy} onChange={() => onChange(strategy)} />
          <Rosette leaves={at + 1} />
          <span>
            <b>{name}</b>
            <small>{t("levelOf", { level: at + 1, count: LEVELS.length })}</small>
            <small>{t(STYLES[at]!)}</small>
          </span>
        </label>
      ))}
    </fieldset>
  );
}

/** A plant with as many leaves as its level. */
function Rosette({ leaves }: { leaves: number }): JSX.Element {
  return (
    <svg class="rosette" viewBox="-30 -30 60 60" aria-hidden="true" focusable="false">
      {LEVELS.map((_, at) => (
        <path key={at} class={at < leaves ? "grown" : ""} d={LEAF} transform={`rotate(${(360 * at) / LEVELS.length})`} />
      ))}
      <circle r="4.500" />
    </svg>
  );
}
