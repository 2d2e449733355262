/** Analyse: set up a decision, see what every placement is worth, play one on. */

import type { JSX } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { Candidates } from "../../components/candidates";
import { CardInput } from "../../components/cardinput";
import { Notice, Panel, RulesSelect } from "../../components/form";
import { Icon } from "../../components/icons";
import { Picker } from "../../components/picker";
import { Summary, Thinking } from "../../components/thinking";
import { ask, Problem } from "../../lib/api";
import { type Card, without } from "../../lib/cards";
import { useDrag } from "../../lib/drag";
import { useHotkeys } from "../../lib/hotkeys";
import { useJob } from "../../lib/jobs";
import { allCards, BOARD_SIZE, boardCards, capacity, cardsIn, emptyPosition, fromQuery, type Position, streetAt, toQuery, toRequest, type Zone } from "../../lib/position";
import { readRoute, replaceRoute, useOpened } from "../../lib/route";
import { DEFAULT_RULES, useRules } from "../../lib/rules";
import { useText, type Translate } from "../../lib/settings";
import type { ActionAnswer, Answer } from "../../lib/types";
import { edit, type Editor } from "./editor";
import { Advanced, TimeSelect } from "./effort";
import { Interrupted } from "./interrupted";
import { DEFAULT_EFFORT, type Effort, effortFields } from "./settings";
import { BoardZones, Opponents, ZoneView } from "./zones";

const TAB = "analyse";
const NARROW = 960; // pixels up to which opponents and dead cards are folded away

function begin(): Editor {
  const { tab, query } = readRoute();
  const position = fromQuery(tab === TAB ? query : new URLSearchParams(), DEFAULT_RULES);
  return { position, past: [], target: "cards", selected: null };
}

function zoneName(t: Translate, zone: Zone): string {
  if (zone === "cards") return t("dealt");
  if (zone === "dead") return t("dead");
  const [who, row] = zone.split(".") as [string, "top" | "middle" | "back"];
  return `${who === "own" ? t("yourBoard") : t("opponentNumber", { number: Number(who) + 1 })}, ${t(row)}`;
}

export function Analyse({ visible }: { visible: boolean }): JSX.Element {
  const t = useText();
  const [editor, dispatch] = useReducer(edit, null, begin);
  const [effort, setEffort] = useState<Effort>(DEFAULT_EFFORT);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [shared, setShared] = useState(false);
  const { position, target } = editor;
  const rules = useRules(position.rules);
  const job = useJob<Answer, ActionAnswer>();
  const query = toQuery(position);
  const resumed = useRef<string | null>(null);
  const street = streetAt(position.board, rules.streets);
  const full = boardCards(position.board).length === BOARD_SIZE;
  const deal = full ? 0 : street === null ? Math.max(...rules.streets.map((one) => one.deal)) : rules.streets[street]!.deal;

  useEffect(() => {
    if (visible) replaceRoute(TAB, query);
  }, [visible, query]);
  useEffect(() => {
    job.reset();
    setProblem(null);
    setShared(false);
    if (resumed.current) job.start(resumed.current, undefined);
    resumed.current = null;
  }, [query]);
  useOpened(TAB, (opened) => dispatch({ do: "open", position: fromQuery(opened, DEFAULT_RULES) }));

  const drag = useDrag((item, zone) => {
    const [from, at] = item.split(":") as [Zone, string];
    dispatch({ do: "move", from, at: Number(at), to: zone as Zone, deal });
  });
  const put = (to: Zone) => {
    const from = editor.selected;
    if (from) dispatch({ do: "move", from: from.zone, at: from.at, to, deal });
  };
  useHotkeys(visible, { t: () => put("own.top"), m: () => put("own.middle"), b: () => put("own.back"), x: () => put("dead") });
  const random = async () => {
    try {
      const dead = without(allCards(position), position.cards).join(" ");
      const { cards } = await ask<{ cards: Card[] }>("POST", "/deal", { rules: position.rules, dead, count: deal });
      dispatch({ do: "set", zone: "cards", cards, deal });
    } catch (error) {
      setProblem(error as Problem);
    }
  };
  const run = (deeper = false) =>
    job.start("/jobs", { game: "ofc", request: { ...toRequest(position), ...effortFields(effort) }, deeper });
  const resume = (found: Position, path: string) => {
    if (toQuery(found) === query) job.start(path, undefined);
    else {
      resumed.current = path;
      dispatch({ do: "open", position: found });
    }
  };
  const share = async () => {
    await navigator.clipboard?.writeText(location.href);
    setShared(true);
  };

  const around = useMemo(() => innerWidth > NARROW || position.dead.length + position.opponents.length > 0, []);
  const zones = { editor, rules, deal, dispatch, drag };
  const here = cardsIn(position, target);
  const elsewhere = useMemo(() => without(allCards(position), here), [position, target]);
  const actions = job.answer?.actions ?? job.progress?.actions ?? [];
  const streetText = full ? t("boardFull") : street === null ? t("betweenStreets") : t("streetOf", { street: street + 1, count: rules.streets.length });

  const tools = (
    <>
      <button type="button" class="icon" disabled={!editor.past.length} aria-label={t("undo")} title={t("undo")} onClick={() => dispatch({ do: "undo" })}>
        <Icon name="undo" />
      </button>
      <button type="button" class="icon" aria-label={t("clear")} title={t("clear")} onClick={() => dispatch({ do: "open", position: emptyPosition(position.rules) })}>
        <Icon name="trash" />
      </button>
      <button type="button" class="icon" aria-label={t("share")} title={t("share")} onClick={() => void share()}>
        <Icon name="share" />
      </button>
    </>
  );

  return (
    <div class="split">
      <div class="column">
        <Panel title={t("position")} actions={tools}>
          {shared && <p class="summary" role="status">{t("copied")}</p>}
          <div class="fields">
            <RulesSelect value={position.rules} onChange={(name) => dispatch({ do: "open", position: { ...position, rules: name } })} />
            <p class="street" role="status">{streetText}</p>
          </div>
          <BoardZones who="own" label={t("yourBoard")} {...zones} />
          {deal > 0 && (
            <div class="tray">
              <h3>{t("dealt")}</h3>
              <ZoneView zone="cards" label={t("dealt")} {...zones} />
              <button type="button" disabled={street === null} onClick={() => void random()}>
                <Icon name="dice" /> {t("dealRandom")}
              </button>
            </div>
          )}
          <CardInput
            label={t("typeCards", { place: zoneName(t, target) })}
            cards={here}
            elsewhere={elsewhere}
            jokers={rules.jokers}
            most={capacity(target, deal)}
            onCards={(cards) => dispatch({ do: "set", zone: target, cards, deal })}
          />
          <Picker
            jokers={rules.jokers}
            used={allCards(position)}
            here={here}
            onPick={(card) => dispatch({ do: "pick", card, jokers: rules.jokers, deal })}
          />
          <details open={around}>
            <summary>{t("tableAround")}</summary>
            <div class="more">
              <h3>{t("dead")}</h3>
              <div class="small-cards">
                <ZoneView zone="dead" label={t("dead")} size={position.dead.length + 1} {...zones} />
              </div>
              <h3>{t("opponents")}</h3>
              <Opponents {...zones} />
            </div>
          </details>
        </Panel>
      </div>
      <div class="column">
        <Panel title={t("placementsTitle")}>
          <div class="run">
            <TimeSelect effort={effort} onChange={(change) => setEffort({ ...effort, ...change })} />
            {job.busy ? (
              <button type="button" class="primary" onClick={job.stop}>{t("stop")}</button>
            ) : (
              <button type="button" class="primary" disabled={full} onClick={() => run()}>{t("run")}</button>
            )}
            {job.phase === "done" && !job.answer?.actions.every((action) => action.exact) && (
              <button type="button" onClick={() => run(true)}>{t("deeper")}</button>
            )}
          </div>
          <Advanced effort={effort} onChange={(change) => setEffort({ ...effort, ...change })} />
          <Interrupted visible={visible} onResume={resume} />
          <Notice problem={problem ?? job.problem} />
          <Thinking state={job} />
          {job.answer && <Summary answer={job.answer} />}
          {actions.length ? (
            <Candidates board={position.board} actions={actions} onPlay={job.busy ? undefined : (placement) => dispatch({ do: "play", placement })} />
          ) : (
            job.phase === "idle" && <p class="hint">{t(full ? "hintFull" : "hintAnalyse")}</p>
          )}
        </Panel>
      </div>
    </div>
  );
}
