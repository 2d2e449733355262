/** The position on the table: one's own board, the hand, the opponents, the dead cards. */

import type { JSX } from "preact";
import { RowZone } from "../../components/board";
import { Back } from "../../components/card";
import { Select } from "../../components/form";
import { Icon } from "../../components/icons";
import type { Drag } from "../../lib/drag";
import { capacity, cardsIn, EMPTY_BOARD, type Row, ROWS, type Zone } from "../../lib/position";
import { bringIntoSight } from "../../lib/scroll";
import { useText } from "../../lib/settings";
import type { Rules } from "../../lib/types";
import type { Edit, Editor } from "./editor";

export interface ZonesProps {
  editor: Editor;
  rules: Rules;
  deal: number;
  dispatch: (edit: Edit) => void;
  drag: Drag;
}

/** What a click on a zone means: put the selected card there, else aim at it. */
export function clicked({ editor, deal, dispatch }: ZonesProps, zone: Zone): void {
  const from = editor.selected;
  if (from && from.zone !== zone) return dispatch({ do: "move", from: from.zone, at: from.at, to: zone, deal });
  dispatch({ do: "aim", zone });
  bringIntoSight(document.querySelector(".analyse .picker"), "nearest"); // the next thing is to take a card from it
}

interface ZoneProps extends ZonesProps {
  zone: Zone;
  label: string;
  size?: number;
  /** Cards of the zone that are shown elsewhere. */
  without?: ReadonlySet<number>;
  /** What a click on the zone does, where that is not to put the selected card there. */
  onHit?: () => void;
}

export function ZoneView({ zone, label, size, without, onHit, ...props }: ZoneProps): JSX.Element {
  const { editor, deal, dispatch, drag } = props;
  const all = cardsIn(editor.position, zone);
  const places = all.map((_, at) => at).filter((at) => !without?.has(at));
  const selected = editor.selected?.zone === zone ? places.indexOf(editor.selected.at) : null;
  const hit = onHit ?? (() => clicked(props, zone));
  return (
    <RowZone
      zone={zone}
      label={label}
      cards={places.map((at) => all[at]!)}
      size={size ?? capacity(zone, deal)}
      active={editor.target === zone}
      selected={selected}
      item={(at) => `${zone}:${places[at]}`}
      drag={drag}
      onPick={(at) => {
        const from = editor.selected;
        if (from && from.zone !== zone) hit();
        else dispatch({ do: "select", zone, at: places[at]! });
      }}
      onPlace={hit}
    />
  );
}

export function BoardZones({ who, label, ...props }: ZonesProps & { who: number; label: string }): JSX.Element {
  const t = useText();
  return (
    <div class="board medium" role="group" aria-label={label}>
      {ROWS.map((row: Row) => (
        <ZoneView key={row} zone={`${who}.${row}`} label={`${label}, ${t(row)}`} {...props} />
      ))}
    </div>
  );
}

export function Opponents(props: ZonesProps): JSX.Element {
  const t = useText();
  const { editor, rules, dispatch } = props;
  const { opponents } = editor.position;
  const hidden = rules.fantasyland.cards;
  const full = opponents.length >= rules.players.max - 1;
  return (
    <div class="opponents">
      <h3>{t("opponents")}</h3>
      {opponents.map((opponent, at) => (
        <div class="opponent" key={at}>
          <div class="opponent-head">
            <h3>{t("opponentNumber", { number: at + 1 })}</h3>
            <button type="button" class="icon" aria-label={t("removeOpponent", { number: at + 1 })} onClick={() => dispatch({ do: "opponent", remove: at })}>
              <Icon name="close" />
            </button>
          </div>
          {opponent.kind === "board" ? (
            <BoardZones who={at} label={t("opponentNumber", { number: at + 1 })} {...props} />
          ) : (
            <div class="hidden-hand">
              <Back />
              <Select
                label={t("fantasylandCards")}
                value={opponent.cards}
                options={hidden.map((cards) => [cards, String(cards)] as const)}
                onChange={(cards) => dispatch({ do: "opponent", change: [at, { kind: "fantasyland", cards }] })}
              />
            </div>
          )}
        </div>
      ))}
      {!full && (
        <div class="buttons">
          <button type="button" onClick={() => dispatch({ do: "opponent", add: { kind: "board", board: EMPTY_BOARD } })}>
            {t("addOpponent")}
          </button>
          {hidden.length > 0 && (
            <button type="button" onClick={() => dispatch({ do: "opponent", add: { kind: "fantasyland", cards: hidden[0]! } })}>
              {t("addHidden")}
            </button>
          )}
        </div>
      )}
    </div>
  );
}
