/** Where hands to review come from: pasted text, a match on this page, or the store. */

import type { JSX, TargetedDragEvent } from "preact";
import { useId, useState } from "preact/hooks";
import { Panel } from "../../components/form";
import { ask } from "../../lib/api";
import { useText } from "../../lib/settings";
import type { StoredHand } from "../statistics/types";
import { Entry } from "./entry";
import { Stored } from "./stored";

interface SourceProps {
  text: string;
  visible: boolean;
  /** The hand of the store that is open, and what its review has kept. */
  stored: number | null;
  reviewed: unknown;
  /** Lines of histories; of a stored hand with its number, so that what is found is kept there. */
  onText: (text: string, id: number | null) => void;
}

const PLAIN = "deal: As Kd 7c 7d 2s\nplace: - / 7c 7d / As Kd 2s\n…"; // a hand as people write it (docs/hand-histories.md)

export function Source({ text, visible, stored, reviewed, onText }: SourceProps): JSX.Element {
  const t = useText();
  const id = useId();
  const [entering, setEntering] = useState(false);
  const open = async (hand: StoredHand) => onText(JSON.stringify(await ask<unknown>("GET", `/hands/${hand.id}`)), hand.id);
  const read = async (file: File | undefined) => file && onText(await file.text(), null);
  const dropped = (event: TargetedDragEvent<HTMLElement>) => {
    if (!event.dataTransfer?.files.length) return;
    event.preventDefault();
    void read(event.dataTransfer.files[0]);
  };
  const ways = (
    <div class="segments" role="group" aria-label={t("howToEnter")}>
      <button type="button" aria-pressed={!entering} onClick={() => setEntering(false)}>{t("asText")}</button>
      <button type="button" aria-pressed={entering} onClick={() => setEntering(true)}>{t("cardByCard")}</button>
    </div>
  );
  return (
    <Panel title={t("handsToReview")} actions={ways}>
      {entering && <Entry visible={visible} onText={(lines) => onText(lines, null)} />}
      <div class="field drop" hidden={entering} onDragOver={(event) => event.preventDefault()} onDrop={dropped}>
        <label for={id}>{t("pasteHistory")}</label>
        <textarea id={id} rows={5} value={text} placeholder={PLAIN} spellcheck={false} onInput={(event) => onText(event.currentTarget.value, null)} />
        <label class="muted small file">
          {t("dropFile")} <span class="as-link">{t("chooseFile")}</span>
          <input type="file" class="only-heard" onChange={(event) => void read(event.currentTarget.files?.[0])} />
        </label>
      </div>
      <Stored {...{ visible, reviewed }} open={stored} onOpen={(hand) => void open(hand)} />
    </Panel>
  );
}
