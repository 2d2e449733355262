/** Where hands to review come from: pasted text, a match on this page, or the store. */

import type { JSX, TargetedDragEvent } from "preact";
import { useEffect, useId, useState } from "preact/hooks";
import { Panel } from "../../components/form";
import { ask } from "../../lib/api";
import { dateTime } from "../../lib/dates";
import { playerName, rulesName } from "../../lib/names";
import { signed } from "../../lib/numbers";
import { useSettings, useText } from "../../lib/settings";
import type { StoredHand } from "../statistics/types";

interface SourceProps {
  text: string;
  visible: boolean;
  /** Lines of histories; of a stored hand with its number, so that what is found is kept there. */
  onText: (text: string, id: number | null) => void;
}

const LISTED = 20;
const PLAIN = "deal: As Kd 7c 7d 2s\nplace: - / 7c 7d / As Kd 2s\n…"; // a hand as people write it (docs/hand-histories.md)

export function Source({ text, visible, onText }: SourceProps): JSX.Element {
  const t = useText();
  const id = useId();
  const { language } = useSettings();
  const [stored, setStored] = useState<StoredHand[]>([]);
  useEffect(() => {
    if (visible) ask<StoredHand[]>("GET", `/hands?limit=${LISTED}`).then(setStored, () => setStored([]));
  }, [visible]);
  const open = async (hand: StoredHand) => onText(JSON.stringify(await ask<unknown>("GET", `/hands/${hand.id}`)), hand.id);
  const dropped = async (event: TargetedDragEvent<HTMLElement>) => {
    const file = event.dataTransfer?.files[0];
    if (!file) return;
    event.preventDefault();
    onText(await file.text(), null);
  };
  return (
    <Panel title={t("handsToReview")}>
      <div class="field" onDragOver={(event) => event.preventDefault()} onDrop={(event) => void dropped(event)}>
        <label for={id}>{t("pasteHistory")}</label>
        <textarea id={id} rows={5} value={text} placeholder={PLAIN} spellcheck={false} onInput={(event) => onText(event.currentTarget.value, null)} />
        <p class="muted small">{t("dropFile")}</p>
      </div>
      {stored.length > 0 && (
        <>
          <h3>{t("storedHands")}</h3>
          <ul class="stored">
            {stored.map((hand) => (
              <li key={hand.id}>
                <button type="button" onClick={() => void open(hand)}>
                  <span>{dateTime(hand.played_at, language)}</span>
                  <span class="muted">{rulesName(t, hand.rules)}</span>
                  <span>{hand.seats.map((seat) => `${playerName(t, seat.player)} ${signed(seat.points, 0)}`).join(" · ")}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
    </Panel>
  );
}
