/** The hands of the store: filtered, sorted by what was lost, with stars and notes. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Check, Notice, Select } from "../../components/form";
import { Icon } from "../../components/icons";
import { ask, Problem } from "../../lib/api";
import { dateTime } from "../../lib/dates";
import { playerName, rulesName } from "../../lib/names";
import { signed } from "../../lib/numbers";
import { useSettings, useText } from "../../lib/settings";
import type { StoredHand } from "../statistics/types";

interface StoredProps {
  visible: boolean;
  /** Changes when a review has been kept, so that its losses are shown. */
  reviewed: unknown;
  open: number | null;
  onOpen: (hand: StoredHand) => void;
}

const PAGE = 20;
const ORDERS = ["newest", "ev_loss"] as const;
const YOU = "you";

export function Stored({ visible, reviewed, open, onOpen }: StoredProps): JSX.Element | null {
  const t = useText();
  const [hands, setHands] = useState<StoredHand[]>([]);
  const [player, setPlayer] = useState("");
  const [players, setPlayers] = useState<readonly string[]>([]);
  const [starred, setStarred] = useState(false);
  const [sort, setSort] = useState<(typeof ORDERS)[number]>("newest");
  const [shown, setShown] = useState(PAGE);
  const [problem, setProblem] = useState<Problem | null>(null);

  const show = (found: StoredHand[]) => {
    setHands(found);
    setPlayers((known) => [...new Set([...known, ...found.flatMap((hand) => hand.seats.map((seat) => seat.player))])].sort());
  };
  useEffect(() => {
    if (!visible) return undefined;
    let current = true;
    const query = new URLSearchParams({ limit: String(shown), sort, starred: String(starred), ...(player && { player }) });
    ask<StoredHand[]>("GET", `/hands?${query}`).then((found) => current && show(found), (error: Problem) => current && setProblem(error));
    return () => void (current = false);
  }, [visible, reviewed, player, starred, sort, shown]);

  const change = async (hand: StoredHand, to: Partial<Pick<StoredHand, "starred" | "note">>) => {
    setHands(hands.map((one) => (one.id === hand.id ? { ...one, ...to } : one)));
    await ask("PATCH", `/hands/${hand.id}`, to).catch((error: Problem) => setProblem(error));
  };
  if (!hands.length && !player && !starred) return null;
  return (
    <section class="stored" aria-label={t("storedHands")}>
      <div class="fields stored-head">
        <h3>{t("storedHands")}</h3>
        <Select label={t("player")} value={player} options={[["", t("everybody")], ...players.map((name) => [name, playerName(t, name)] as const)]} onChange={setPlayer} />
        <Select label={t("sortBy")} value={sort} options={ORDERS.map((one) => [one, t(one === "newest" ? "sortNewest" : "sortLoss")] as const)} onChange={setSort} />
        <Check label={t("onlyStarred")} checked={starred} onChange={setStarred} />
      </div>
      <Notice problem={problem} />
      <div class="table-box" tabIndex={0} role="region" aria-label={t("storedHands")}>
        <table>
          <tbody>
            {hands.map((hand) => (
              <Line key={hand.id} {...{ hand, player }} open={hand.id === open} onOpen={() => onOpen(hand)} onChange={(to) => void change(hand, to)} />
            ))}
          </tbody>
        </table>
      </div>
      {hands.length === shown && (
        <button type="button" class="quiet" onClick={() => setShown(shown + PAGE)}>{t("showMore")}</button>
      )}
    </section>
  );
}

interface LineProps {
  hand: StoredHand;
  player: string;
  open: boolean;
  onOpen: () => void;
  onChange: (to: Partial<Pick<StoredHand, "starred" | "note">>) => void;
}

function Line({ hand, player, open, onOpen, onChange }: LineProps): JSX.Element {
  const t = useText();
  const { language } = useSettings();
  const whose = player || (hand.seats.some((seat) => seat.player === YOU) ? YOU : null);
  const lost = hand.seats.filter((seat) => seat.ev_loss !== null && (whose === null || seat.player === whose));
  const sum = lost.reduce((all, seat) => all + (seat.ev_loss ?? 0), 0);
  return (
    <tr class={open ? "open" : ""}>
      <td class="mark">
        <button type="button" class={hand.starred ? "icon star on" : "icon star"} aria-pressed={hand.starred} aria-label={t("star")} title={t("star")} onClick={() => onChange({ starred: !hand.starred })}>
          <Icon name="fantasyland" />
        </button>
      </td>
      <td>
        <button type="button" class="link" aria-pressed={open} onClick={onOpen}>{dateTime(hand.played_at, language)}</button>
        <small>{rulesName(t, hand.rules)}</small>
      </td>
      <td>
        {hand.seats.map((seat, at) => (
          <span class="seat" key={at}>
            {playerName(t, seat.player)} <b class={seat.points > 0 ? "won" : seat.points < 0 ? "lost" : ""}>{signed(seat.points, 0)}</b>
          </span>
        ))}
      </td>
      <td>{lost.length > 0 ? <data class="loss" value={sum}>{signed(-sum)}</data> : <span class="muted">{t("notReviewed")}</span>}</td>
      <td class="note">
        <input aria-label={t("note")} placeholder={t("note")} value={hand.note} maxLength={2000} onChange={(event) => onChange({ note: event.currentTarget.value })} />
      </td>
    </tr>
  );
}

