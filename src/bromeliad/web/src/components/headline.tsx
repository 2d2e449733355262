/** The answer in a sentence: which cards go where, and by how much that is better than anything else. */

import type { JSX } from "preact";
import { groupAlike } from "../lib/alike";
import { type Card, JOKER } from "../lib/cards";
import { fixed } from "../lib/numbers";
import { type Placement, type Row, ROWS } from "../lib/position";
import { useText, type Translate } from "../lib/settings";
import type { ActionAnswer } from "../lib/types";
import { isClose } from "../lib/why";
import type { Key } from "../texts";

const IN_ROW: Record<Row, Key> = { top: "onTop", middle: "inMiddle", back: "inBack" };

const ranks = (cards: readonly Card[]) => cards.map((card) => (card === JOKER ? "🃏" : card[0])).join("");

/** "K on top, AA2 in the middle, 7 in the back". */
export function placementWords(t: Translate, placement: Placement): string {
  return ROWS.flatMap((row) => (placement[row].length ? [t(IN_ROW[row], { cards: ranks(placement[row]) })] : [])).join(t("comma"));
}

/** The whole sentence, without marks. */
export function headlineText(t: Translate, actions: readonly ActionAnswer[], piles: readonly (readonly Card[])[]): string {
  const { words, lead } = sentence(t, actions, piles) ?? { words: "", lead: "" };
  return `${words} ${lead}`.trim();
}

function sentence(t: Translate, actions: readonly ActionAnswer[], piles: readonly (readonly Card[])[]): { words: string; lead: string } | null {
  const groups = groupAlike(actions, piles);
  const [best, second] = [groups[0]?.first, groups[1]?.first];
  if (!best) return null;
  const loss = second?.ev_loss ?? null;
  const error = second?.exact ? null : second?.ev_loss_stderr;
  const lead = loss === null ? "" : error ? t("leadAbout", { lead: fixed(loss), error: fixed(error) }) : t("lead", { lead: fixed(loss) });
  return { words: placementWords(t, best), lead: loss !== null && isClose(loss, error) ? t("closeCall", { lead }) : lead };
}

export function Headline({ actions, piles }: { actions: readonly ActionAnswer[]; piles: readonly (readonly Card[])[] }): JSX.Element | null {
  const t = useText();
  const said = sentence(t, actions, piles);
  if (!said) return null;
  return (
    <p class="answer" role="status">
      <b>{said.words}</b> <span>{said.lead}</span>
    </p>
  );
}
