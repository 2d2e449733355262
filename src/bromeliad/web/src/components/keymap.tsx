/** The keys of the page, on "?". */

import type { JSX } from "preact";
import { useRef } from "preact/hooks";
import { useHotkeys } from "../lib/hotkeys";
import { useText } from "../lib/settings";
import type { Key } from "../texts";
import { Icon } from "./icons";

const KEYS: readonly (readonly [keys: string, what: Key])[] = [
  ["t m b", "keyRows"],
  ["h", "keyHand"],
  ["x", "keyDead"],
  ["Enter", "keyEnter"],
  ["← ↑ → ↓", "keyDeck"],
  ["?", "keyMap"],
];

export function Keymap(): JSX.Element {
  const t = useText();
  const dialog = useRef<HTMLDialogElement>(null);
  const toggle = () => (dialog.current?.open ? dialog.current.close() : dialog.current?.showModal());
  useHotkeys(true, { "?": toggle });
  return (
    <>
      <button type="button" class="icon keys-button" aria-label={t("keyboard")} title={`${t("keyboard")} (?)`} onClick={toggle}>
        <Icon name="keys" />
      </button>
      <dialog class="keymap" ref={dialog} aria-label={t("keyboard")}>
        <h2>{t("keyboard")}</h2>
        <dl>
          {KEYS.map(([keys, what]) => (
            <div key={keys}>
              <dt>{keys.split(" ").map((key) => <kbd key={key}>{key}</kbd>)}</dt>
              <dd>{t(what)}</dd>
            </div>
          ))}
        </dl>
        <button type="button" onClick={toggle}>{t("close")}</button>
      </dialog>
    </>
  );
}
