/** Fantasyland: 13 to 17 cards, the best arrangements, and what each gives up. */

import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { Candidates } from "../components/candidates";
import { CardInput } from "../components/cardinput";
import { CardImage } from "../components/card";
import { Notice, Panel, RulesSelect, Select } from "../components/form";
import { Icon } from "../components/icons";
import { Picker } from "../components/picker";
import { Summary, Thinking } from "../components/thinking";
import { ask, Problem } from "../lib/api";
import { byRank, type Card, duplicate, parseCards, without } from "../lib/cards";
import { useHotkeys, useNextButton } from "../lib/hotkeys";
import { useJob } from "../lib/jobs";
import { BOARD_SIZE, EMPTY_BOARD } from "../lib/position";
import { readRoute, replaceRoute, useOpened } from "../lib/route";
import { DEFAULT_RULES, useRules } from "../lib/rules";
import { bringIntoSight } from "../lib/scroll";
import { useText } from "../lib/settings";
import type { ActionAnswer, Answer } from "../lib/types";

const TAB = "fantasyland";
const MOST = 17;
const LISTED = 30;
const SIZES = [13, 14, 15, 16, 17] as const;

interface Hand {
  rules: string;
  cards: readonly Card[];
}

function read(query: URLSearchParams): Hand {
  return { rules: query.get("rules") ?? DEFAULT_RULES, cards: parseCards(query.get("cards") ?? "").cards.slice(0, MOST) };
}

function begin(): Hand {
  const { tab, query } = readRoute();
  return read(tab === TAB ? query : new URLSearchParams());
}

export function Fantasyland({ visible }: { visible: boolean }): JSX.Element {
  const t = useText();
  const [hand, setHand] = useState(begin);
  const [size, setSize] = useState<number>(14);
  const [problem, setProblem] = useState<Problem | null>(null);
  const job = useJob<Answer, ActionAnswer>();
  const rules = useRules(hand.rules);
  const query = new URLSearchParams({ rules: hand.rules, cards: hand.cards.join("") }).toString();

  useEffect(() => {
    if (visible) replaceRoute(TAB, query);
  }, [visible, query]);
  useOpened(TAB, (opened) => setHand(read(opened)));
  useEffect(() => {
    job.reset();
    setProblem(null);
  }, [query]);

  useEffect(() => {
    if (hand.cards.length >= BOARD_SIZE) setSize(hand.cards.length);
  }, [hand.cards.length]);
  const setCards = (cards: readonly Card[]) => setHand({ ...hand, cards });
  const pick = (card: Card) => {
    if (duplicate([...hand.cards, card], rules.jokers) !== null) setCards(without(hand.cards, [card]));
    else if (hand.cards.length < MOST) setCards([...hand.cards, card]);
  };
  const next = useNextButton(hand.cards);
  const results = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (job.answer && visible) bringIntoSight(results.current);
  }, [job.answer]);
  const random = async () => {
    try {
      const { cards } = await ask<{ cards: Card[] }>("POST", "/deal", { rules: hand.rules, dead: "", count: size });
      next.expect();
      setCards(cards);
    } catch (error) {
      setProblem(error as Problem);
    }
  };
  const ready = hand.cards.length >= BOARD_SIZE;
  const run = () =>
    ready && !job.busy && job.start("/jobs", { game: "ofc", request: { rules: hand.rules, cards: hand.cards.join(" "), fantasyland: true, top: LISTED } });
  const actions = job.answer?.actions ?? [];
  useHotkeys(visible, { enter: run });

  return (
    <div class="split">
      <div class="column">
        <Panel title={t("fantasylandHand")}>
          <div class="fields">
            <RulesSelect value={hand.rules} onChange={(name) => setHand({ ...hand, rules: name })} />
            <Select label={t("randomCards")} value={size} options={SIZES.map((count) => [count, String(count)] as const)} onChange={setSize} />
          </div>
          <div class="fields">
            <button type="button" class={ready ? "" : "primary"} onClick={() => void random()}>
              <Icon name="dice" /> {t("dealRandom")}
            </button>
            <button type="button" class={ready ? "primary" : ""} ref={next.button} disabled={!ready || job.busy} onClick={run}>
              {t("arrange")}
            </button>
          </div>
          <div class="tray">
            <h3>{t("cardsOf", { count: hand.cards.length, least: BOARD_SIZE, most: MOST })}</h3>
            {hand.cards.length > 0 && (
              <button type="button" class="icon" aria-label={t("clear")} title={t("clear")} onClick={() => setCards([])}>
                <Icon name="trash" />
              </button>
            )}
            <div class="row wrap">
              {byRank(hand.cards).map((card, at) => (
                <CardImage card={card} key={at} />
              ))}
            </div>
          </div>
          <CardInput label={t("typeCards", { place: t("fantasylandHand") })} cards={hand.cards} elsewhere={[]} jokers={rules.jokers} most={MOST} onCards={setCards} onEnter={run} />
          <Picker jokers={rules.jokers} used={hand.cards} here={hand.cards} onPick={pick} />
        </Panel>
      </div>
      <div class="column in-sight" ref={results}>
        <Panel title={t("arrangements")}>
          <Notice problem={problem ?? job.problem} />
          <Thinking state={job} />
          {job.answer && <Summary answer={job.answer} />}
          {actions.length ? <div class="whole"><Candidates board={EMPTY_BOARD} actions={actions} foulCost={rules.objective.foul_cost} complete /></div> : job.phase === "idle" && <p class="hint">{t("hintFantasyland")}</p>}
        </Panel>
      </div>
    </div>
  );
}
