/** Ways to other tabs, each with what one finds there: for where nothing is to be seen yet. */

import type { JSX } from "preact";
import { openRoute } from "../lib/route";
import { useText } from "../lib/settings";
import { Icon } from "./icons";

export type Door = "openings" | "play" | "train" | "review";

export function Doors({ to }: { to: readonly Door[] }): JSX.Element {
  const t = useText();
  return (
    <ul class="doors">
      {to.map((id) => (
        <li key={id}>
          <a href={`#${id}`} onClick={(event) => (event.preventDefault(), openRoute(id))}>
            <Icon name={id} />
            <span>
              <b>{t(id)}</b>
              <small>{t(`door_${id}`)}</small>
            </span>
          </a>
        </li>
      ))}
    </ul>
  );
}
