/** Sequence: play against the agent, or look at what it thinks of a position of your own. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Select } from "../../components/form";
import { readRoute, replaceRoute, useOpened } from "../../lib/route";
import { useText } from "../../lib/settings";
import { SequencePlay } from "./play";
import { readSetup, SequenceSetup, setupQuery } from "./setup";

const TAB = "sequence";
type Mode = "play" | "setup";

function modeOf(query: URLSearchParams): Mode {
  return query.has("board") || query.has("hand") ? "setup" : "play";
}

export function SequenceTab({ visible }: { visible: boolean }): JSX.Element {
  const t = useText();
  const [opened] = useState(() => {
    const { tab, query } = readRoute();
    return tab === TAB ? query : new URLSearchParams();
  });
  const [mode, setMode] = useState<Mode>(() => modeOf(opened));
  const [game, setGame] = useState(() => opened.get("game"));
  const [setup, setSetup] = useState(() => readSetup(opened));
  const query = mode === "setup" ? setupQuery(setup) : game ? `game=${game}` : "";

  useOpened(TAB, (route) => {
    setMode(modeOf(route));
    if (modeOf(route) === "setup") setSetup(readSetup(route));
    else setGame(route.get("game"));
  });
  useEffect(() => {
    if (visible) replaceRoute(TAB, query);
  }, [visible, query]);

  const chooser = <Select label={t("mode")} value={mode} options={[["play", t("playAgame")], ["setup", t("ownPosition")]]} onChange={setMode} />;
  if (mode === "setup") return <SequenceSetup setup={setup} onChange={setSetup} chooser={chooser} />;
  return <SequencePlay visible={visible} id={game} onGame={setGame} chooser={chooser} />;
}
