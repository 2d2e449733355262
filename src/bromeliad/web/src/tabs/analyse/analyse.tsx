/** Analyse: the board in the middle, everything else that is known on its left, what the solver says on its right. */

import type { JSX } from "preact";
import { useEffect, useMemo, useReducer, useRef, useState } from "preact/hooks";
import { CardInput } from "../../components/cardinput";
import { Doors } from "../../components/doors";
import { RulesSelect } from "../../components/form";
import { MiniBoard } from "../../components/board";
import { Face } from "../../components/card";
import { Icon } from "../../components/icons";
import { headlineText } from "../../components/headline";
import { Picker } from "../../components/picker";
import { Share } from "../../components/share";
import { pilesOf } from "../../lib/alike";
import { ask, Problem } from "../../lib/api";
import { type Card, without } from "../../lib/cards";
import { useDrag } from "../../lib/drag";
import { type Picture, worthText } from "../../lib/picture";
import { useFlip } from "../../lib/flip";
import type { RuleBook } from "../../lib/hands";
import { useHotkeys, useNextButton } from "../../lib/hotkeys";
import { allCards, BOARD_SIZE, boardCards, capacity, cardsIn, emptyPosition, fromQuery, type Placement, type Position, type Row, streetAt, streetStarts, toQuery, type Zone } from "../../lib/position";
import { pushRoute, readRoute, replaceRoute, routeText, useOpened } from "../../lib/route";
import { DEFAULT_RULES, useRules } from "../../lib/rules";
import { useSettings, useText, type Translate } from "../../lib/settings";
import { useAnalysis } from "./analysis";
import { edit, type Editor, laidPlacement } from "./editor";
import { Advanced, TimeSelect } from "./effort";
import { Interrupted } from "./interrupted";
import { Results } from "./results";
import { DEFAULT_EFFORT, type Effort } from "./settings";
import { placeHere, Table } from "./table";
import { Opponents, ZoneView } from "./zones";

const TAB = "analyse";
const SAMPLES = [
  ["sampleFirst", "rules=pineapple&cards=AsAhKd7c2s"],
  ["sampleVersus", "rules=pineapple&cards=Kc9d3s&board=Qd/9c9s4h/AsAcAd&dead=2c&opponent=Kh/8c8d2hTh/TcTs5h5c"],
  ["sampleLast", "rules=pineapple&cards=Kc9d3s&board=QdQh/9c9s4h4d/AsAcAd7h7d&dead=2c5d6s"],
] as const;

const SEEN = "bromeliad.seen";

/** Whether this browser sees the page for the first time, with no position in the address: it begins with an example. */
function isFirstVisit(): boolean {
  const { tab, query } = readRoute();
  const first = localStorage.getItem(SEEN) === null && (tab === "" || tab === TAB) && !query.size;
  localStorage.setItem(SEEN, "yes");
  return first;
}

function begin(first: boolean): Editor {
  const { tab, query } = readRoute();
  const opened = first ? new URLSearchParams(SAMPLES[0][1]) : tab === TAB ? query : new URLSearchParams();
  const position = fromQuery(opened, DEFAULT_RULES);
  return { position, past: [], target: "cards", selected: null, laid: [] };
}

function zoneName(t: Translate, zone: Zone): string {
  if (zone === "cards") return t("dealt");
  if (zone === "dead") return t("dead");
  const [who, row] = zone.split(".") as [string, Row];
  return `${who === "own" ? t("yourBoard") : t("opponentNumber", { number: Number(who) + 1 })}, ${t(row)}`;
}

/** What rows pay by a rule set, once the service has said it. */
function useRuleBook(name: string): RuleBook | null {
  const [book, setBook] = useState<{ name: string; rules: RuleBook } | null>(null);
  useEffect(() => {
    ask<RuleBook>("GET", `/rules/${encodeURIComponent(name)}`).then((rules) => setBook({ name, rules }), () => undefined);
  }, [name]);
  return book?.name === name ? book.rules : null;
}

export function Analyse({ visible }: { visible: boolean }): JSX.Element {
  const t = useText();
  const { language } = useSettings();
  const [first] = useState(isFirstVisit);
  const [editor, dispatch] = useReducer(edit, first, begin);
  const [effort, setEffort] = useState<Effort>(DEFAULT_EFFORT);
  const [problem, setProblem] = useState<Problem | null>(null);
  const [looked, setLooked] = useState<Placement | null>(null); // the row that is open
  const { position, target } = editor;
  const rules = useRules(position.rules);
  const book = useRuleBook(rules.name);
  const query = toQuery(position);
  const analysis = useAnalysis(query, position, effort);
  const { job } = analysis;
  const [example] = useState(first ? query : null); // the position that is shown solved
  const resumed = useRef<string | null>(null);
  const step = useRef(false); // whether the next address is a step that Back goes back from
  const zones = useRef<HTMLDivElement>(null);
  const next = useNextButton(query); // Enter analyses what the page has dealt
  useFlip(zones);

  const street = streetAt(position.board, rules.streets);
  const full = boardCards(position.board).length === BOARD_SIZE;
  const deal = full ? 0 : street === null ? Math.max(...rules.streets.map((one) => one.deal)) : rules.streets[street]!.deal;
  const place = full || street === null ? 0 : rules.streets[street]!.place;

  useEffect(() => {
    if (!visible) return;
    if (step.current) pushRoute(TAB, query);
    else replaceRoute(TAB, query);
    step.current = false;
  }, [visible, query]);
  useEffect(() => {
    setProblem(null);
    setLooked(null);
    if (resumed.current) analysis.resume(resumed.current);
    resumed.current = null;
  }, [query]);
  useEffect(() => {
    if (example !== null) analysis.consult();
  }, []);
  useOpened(TAB, (opened) => dispatch({ do: "open", position: fromQuery(opened, DEFAULT_RULES) }));

  /** Goes to another position as a step of its own: Back and undo return. */
  const go = (change: Parameters<typeof dispatch>[0]) => {
    step.current = true;
    dispatch(change);
  };
  const preview = editor.laid.length || !place ? null : (looked ?? analysis.actions.find((action) => action.ev !== null) ?? null);
  const shownZones = { editor, rules, deal, place, book, dispatch };
  const moveTo = (from: Zone, at: number, to: Zone) => {
    const row = to.split(".")[1] as Row | undefined;
    if (from === "cards" && to.startsWith("own.") && place > 0 && row) dispatch({ do: "lay", at, row, most: place });
    else if (from === "cards" && to === "cards") dispatch({ do: "lay", at, row: null, most: place });
    else dispatch({ do: "move", from, at, to, deal });
  };
  const drag = useDrag((item, zone) => {
    const [from, what] = item.split(":") as [Zone | "deck", string];
    if (from !== "deck") return moveTo(from, Number(what), zone as Zone);
    const there = cardsIn(position, zone as Zone);
    if (there.length < capacity(zone as Zone, deal)) dispatch({ do: "set", zone: zone as Zone, cards: [...there, what], deal });
  });
  const put = (to: Zone) => placeHere({ ...shownZones, preview, drag }, to);
  const selectedTo = (to: Zone) => () => editor.selected !== null && put(to);

  const random = async () => {
    try {
      const dead = without(allCards(position), position.cards).join(" ");
      const { cards } = await ask<{ cards: Card[] }>("POST", "/deal", { rules: position.rules, dead, count: deal });
      next.expect();
      go({ do: "set", zone: "cards", cards, deal });
    } catch (error) {
      setProblem(error as Problem);
    }
  };
  const resume = (found: Position, path: string) => {
    if (toQuery(found) === query) analysis.resume(path);
    else {
      resumed.current = path;
      dispatch({ do: "open", position: found });
    }
  };
  const picture = (): Picture => {
    const best = analysis.answer?.best;
    const shown = laid ?? best ?? null;
    const says = best && !laid ? `${headlineText(t, analysis.actions, pilesOf(position))}. EV ${worthText(best)}` : streetText;
    const others = position.opponents.flatMap((one, at) => (one.kind === "board" ? [{ label: t("opponentNumber", { number: at + 1 }), board: one.board, fresh: null }] : []));
    return { title: says, dealt: position.cards, boards: [{ label: t("yourBoard"), board: position.board, fresh: shown }, ...others] };
  };

  const here = cardsIn(position, target);
  const elsewhere = useMemo(() => without(allCards(position), here), [position, target]);
  const missing = Math.max(deal - position.cards.length, 0);
  const starts = new Intl.ListFormat(language, { type: "disjunction" }).format(streetStarts(rules.streets).map(String));
  const reason = full ? t("boardFull") : street === null ? t("streetsBegin", { counts: starts }) : missing ? t("cardsMissing", { missing, deal }) : null;
  const run = () => reason === null && !job.busy && analysis.run();
  useHotkeys(visible, {
    t: selectedTo("own.top"),
    m: selectedTo("own.middle"),
    b: selectedTo("own.back"),
    x: selectedTo("dead"),
    h: selectedTo("cards"),
    enter: () => editor.selected === null && run(),
  });
  const streetText = full ? t("boardFull") : street === null ? t("betweenStreets", { count: boardCards(position.board).length }) : t("streetOf", { street: street + 1, count: rules.streets.length });
  const laid = laidPlacement(editor, place);
  const play = (placement: Placement) => go({ do: "play", placement });
  const sampled = (sample: string) => {
    next.expect();
    go({ do: "open", position: fromQuery(new URLSearchParams(sample), DEFAULT_RULES) });
  };

  const tools = (
    <div class="actions">
      <button type="button" class="icon" disabled={!editor.past.length && !editor.laid.length} aria-label={t("undo")} title={t("undo")} onClick={() => dispatch({ do: "undo" })}>
        <Icon name="undo" />
      </button>
      <button type="button" class="icon" aria-label={t("clear")} title={t("clear")} onClick={() => go({ do: "open", position: emptyPosition(position.rules) })}>
        <Icon name="trash" />
      </button>
      <Share link={routeText(TAB, query)} picture={picture} />
    </div>
  );
  const empty = (
    <div class="empty">
      <p class="hint">{t(full ? "hintFull" : "hintAnalyse")}</p>
      <p class="muted">{t("samples")}</p>
      <div class="samples">
        {SAMPLES.map(([name, sample]) => (
          <Sample key={name} name={t(name)} position={fromQuery(new URLSearchParams(sample), DEFAULT_RULES)} onOpen={() => sampled(sample)} />
        ))}
      </div>
      <Interrupted visible={visible} onResume={resume} />
      <div class="also">
        <p class="muted">{t("alsoHere")}</p>
        <Doors to={["openings", "play", "train", "review"]} />
      </div>
    </div>
  );
  const zoneProps = { ...shownZones, drag };
  return (
    <div class="analyse" ref={zones}>
      <section class="panel centre" aria-label={t("position")}>
        <header>
          <p class="street" role="status">{streetText}</p>
          {tools}
        </header>
        <Table {...zoneProps} preview={preview} />
        <div class="action-bar">
          <button type="button" class={reason === null || job.busy ? "" : "primary"} disabled={street === null || full} onClick={() => void random()}>
            <Icon name="dice" /> <span class="long">{t("dealMe")}</span>
            <span class="short">{t("dealShort")}</span>
          </button>
          <TimeSelect effort={effort} onChange={(change) => setEffort({ ...effort, ...change })} />
          {job.busy ? (
            <button type="button" class="go primary" onClick={job.stop}>{t("stop")}</button>
          ) : (
            <button type="button" class={reason === null ? "go primary" : "go"} ref={next.button} disabled={reason !== null} aria-describedby="not-ready" onClick={run}>{t("run")}</button>
          )}
          {!job.busy && analysis.answers.search && !analysis.answers.search.actions.every((action) => action.exact) && (
            <button type="button" class="deeper" onClick={() => analysis.run(true)}>{t("deeper")}</button>
          )}
        </div>
        {reason !== null && !job.busy && <p class="reason" id="not-ready">{reason}</p>}
        {(editor.laid.length > 0 || analysis.answer) && (
          <div class="buttons">
            {analysis.answer && !editor.laid.length && (
              <button type="button" onClick={() => dispatch({ do: "layOut", placement: analysis.answer!.best })}>{t("bestLayout")}</button>
            )}
            {laid && <button type="button" onClick={() => play(laid)}>{t("playLayout")}</button>}
            {editor.laid.length > 0 && (
              <button type="button" onClick={() => editor.laid.forEach(({ at }) => dispatch({ do: "lay", at, row: null, most: place }))}>{t("takeBackLayout")}</button>
            )}
          </div>
        )}
        <Advanced effort={effort} onChange={(change) => setEffort({ ...effort, ...change })} />
      </section>
      <section class="panel side" aria-label={t("tableAround")}>
        <RulesSelect value={position.rules} onChange={(name) => go({ do: "open", position: { ...position, rules: name } })} />
        <CardInput
          label={t("typeCards", { place: zoneName(t, target) })}
          cards={here}
          elsewhere={elsewhere}
          jokers={rules.jokers}
          most={capacity(target, deal)}
          onCards={(cards) => dispatch({ do: "set", zone: target, cards, deal })}
          onEnter={run}
        />
        <Picker
          jokers={rules.jokers}
          used={allCards(position)}
          here={here}
          drag={drag}
          onPick={(card) => dispatch({ do: "pick", card, jokers: rules.jokers, deal })}
        />
        <div class="dead-cards">
          <h3>{t("dead")}</h3>
          <div class="small-cards">
            <ZoneView zone="dead" label={t("dead")} size={position.dead.length + 1} {...zoneProps} />
          </div>
        </div>
        <Opponents {...zoneProps} />
      </section>
      <Results {...{ analysis, position, effort, problem, laid, empty }} example={query === example} onPlay={play} onLook={setLooked} />
    </div>
  );
}

/** A position to begin with: its board and the cards dealt. */
function Sample({ name, position, onOpen }: { name: string; position: Position; onOpen: () => void }): JSX.Element {
  return (
    <button type="button" class="sample" aria-label={name} onClick={onOpen}>
      <span aria-hidden="true">
        <MiniBoard board={position.board} />
        <span class="sample-cards">
          {position.cards.map((card) => (
            <span class="card-box" key={card}>
              <Face card={card} />
            </span>
          ))}
        </span>
      </span>
      {name}
    </button>
  );
}
