/** A hand entered card by card: deal from the deck, place with mouse or keys; the plain text of it grows along. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { MiniBoard } from "../../components/board";
import { RulesSelect } from "../../components/form";
import { Picker } from "../../components/picker";
import { Placer } from "../../components/placer";
import type { Card } from "../../lib/cards";
import { type Board, BOARD_SIZE, boardCards, EMPTY_BOARD, place, type Placement, ROWS, streetAt } from "../../lib/position";
import { DEFAULT_RULES, useRules } from "../../lib/rules";
import { useText } from "../../lib/settings";

interface Turn {
  seat: number;
  dealt: Card[];
  placed: Placement;
  /** Cards that the opponent discarded and nobody saw. */
  hidden: number;
}

const PLAYERS = 2; // you and one opponent, you first

function turnText({ dealt, placed, hidden }: Turn): string {
  const rows = ROWS.map((row) => placed[row].join(" ") || "-").join(" / ");
  return `deal: ${[...Array<string>(hidden).fill("?"), ...dealt].join(" ")}\nplace: ${rows}`;
}

/** The lines of a hand (docs/hand-histories.md). */
function handText(rules: string, turns: readonly Turn[]): string {
  return [`rules: ${rules}`, ...turns.map(turnText)].join("\n") + "\n";
}

function boardOf(turns: readonly Turn[], seat: number): Board {
  return turns.filter((turn) => turn.seat === seat).reduce((board, turn) => place(board, turn.placed), EMPTY_BOARD);
}

export function Entry({ visible, onText }: { visible: boolean; onText: (text: string) => void }): JSX.Element {
  const t = useText();
  const [name, setName] = useState(DEFAULT_RULES);
  const [turns, setTurns] = useState<readonly Turn[]>([]);
  const [cards, setCards] = useState<readonly Card[]>([]);
  const rules = useRules(name);
  const seat = turns.length % PLAYERS;
  const board = boardOf(turns, seat);
  const over = boardCards(board).length >= BOARD_SIZE;
  const at = over ? null : streetAt(board, rules.streets);
  const street = at === null ? null : rules.streets[at]!;
  const hidden = seat > 0 && street ? street.deal - street.place : 0;
  const wanted = street ? street.deal - hidden : 0;
  const used = turns.flatMap((turn) => turn.dealt);

  const write = (all: readonly Turn[]) => {
    setTurns(all);
    setCards([]);
    onText(all.length ? handText(name, all) : "");
  };
  const pick = (card: Card) => {
    if (cards.includes(card)) setCards(cards.filter((one) => one !== card));
    else if (cards.length < wanted && !used.includes(card)) setCards([...cards, card]);
  };
  const who = t(seat === 0 ? "you" : "opponent");
  return (
    <div class="entry">
      <div class="fields">
        <RulesSelect value={name} onChange={(rules) => (setName(rules), write([]), setTurns([]))} />
        <button type="button" disabled={!turns.length && !cards.length} onClick={() => (cards.length ? setCards([]) : write(turns.slice(0, -1)))}>{t("undo")}</button>
      </div>
      <div class="others">
        {Array.from({ length: PLAYERS }, (_, one) => (
          <div class={one === seat && !over ? "other acting" : "other"} key={one}>
            <h3>{t(one === 0 ? "you" : "opponent")}</h3>
            <MiniBoard board={boardOf(turns, one)} />
          </div>
        ))}
      </div>
      {over ? (
        <p class="hint" role="status">{t("entryDone")}</p>
      ) : (
        <>
          <p class="summary" role="status">
            {cards.length < wanted ? t("entryDeal", { player: who, count: wanted - cards.length }) : t("entryPlace", { player: who })}
            {hidden > 0 && ` ${t("entryHidden", { count: hidden })}`}
          </p>
          {cards.length < wanted ? (
            <Picker jokers={rules.jokers} used={[...used, ...cards]} here={cards} onPick={pick} />
          ) : (
            <Placer
              key={turns.length}
              {...{ board, visible, cards }}
              place={street!.place}
              busy={false}
              confirm={t("entryNext")}
              onConfirm={(placed) => write([...turns, { seat, dealt: [...cards], placed, hidden }])}
            />
          )}
        </>
      )}
    </div>
  );
}
