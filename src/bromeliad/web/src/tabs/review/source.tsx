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
  /** How many hands of a match or of the store are open; null for hands that are written here, which are shown as text. */
  hands: number | null;
  /** The hand of the store that is open, and what its review has kept. */
  stored: number | null;
  reviewed: unknown;
  /** Lines of histories; of a stored hand with its number, so that what is found is kept there. */
  onText: (text: string, id: number | null) => void;
  onUnfold: () => void;
}

const PLAIN = "deal: As Kd 7c 7d 2s\nplace: - / 7c 7d / As Kd 2s\n…"; // a hand as people write it (docs/hand-histories.md)

/** A whole hand to try: "you" make a mistake or two. */
export const EXAMPLE = `deal: 6d Ah 7d 2s Js
place: Ah / Js 2s / 7d 6d
deal: 8c 7h 8h 4h Kd
place: Kd / 7h 4h / 8h 8c
deal: Th Jc Jh
place: - / - / Jh Jc
deal: 3h Ac 2h
place: - / Ac / 3h
deal: 4c Jd 7s
place: - / 7s / Jd
deal: 6s Qh 5h
place: Qh / 6s / -
deal: 9c Qd 6h
place: 9c 6h / - / -
deal: Ts Ks 9d
place: Ts / - / Ks
deal: Kc 2d 8d
place: - / 8d 2d / -
deal: As 4s Ad
place: - / 4s / As
`;

export function Source({ text, visible, hands, stored, reviewed, onText, onUnfold }: SourceProps): JSX.Element {
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
        {hands === null ? (
          <>
            <label for={id}>{t("pasteHistory")}</label>
            <textarea id={id} rows={5} value={text} placeholder={PLAIN} spellcheck={false} onInput={(event) => onText(event.currentTarget.value, null)} />
          </>
        ) : (
          <p class="opened">
            {t("handsOpened", { count: hands })} <button type="button" class="link" onClick={onUnfold}>{t("asText")}</button>
          </p>
        )}
        <label class="muted small file">
          {t("dropFile")} <span class="as-link">{t("chooseFile")}</span>
          <input type="file" class="only-heard" onChange={(event) => void read(event.currentTarget.files?.[0])} />
        </label>
      </div>
      <Stored {...{ visible, reviewed }} open={stored} onOpen={(hand) => void open(hand)} />
    </Panel>
  );
}
