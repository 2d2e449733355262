/** The start of a match: rules, opponents, how strong they are. */

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { Check, Input, Panel, RulesSelect, Select } from "../../components/form";
import { useHotkeys } from "../../lib/hotkeys";
import { DEFAULT_LEVEL } from "../../lib/names";
import { numeric } from "../../lib/numbers";
import { DEFAULT_RULES, useRules } from "../../lib/rules";
import { useText } from "../../lib/settings";
import { Ladder } from "./ladder";

export interface NewGame {
  rules: string;
  opponents: string[];
  grade: boolean;
  hands?: number | string;
  seed?: number | string;
}

export function Setup({ busy, visible, onStart }: { busy: boolean; visible: boolean; onStart: (game: NewGame) => void }): JSX.Element {
  const t = useText();
  const [name, setName] = useState(DEFAULT_RULES);
  const [strength, setStrength] = useState<string>(DEFAULT_LEVEL);
  const [count, setCount] = useState(1);
  const [grade, setGrade] = useState(true);
  const [hands, setHands] = useState("");
  const [seed, setSeed] = useState("");
  const rules = useRules(name);
  const most = rules.players.max - 1;
  const start = () => {
    const opponents = Array<string>(Math.min(count, most)).fill(strength);
    const game: NewGame = { rules: name, opponents, grade };
    if (hands.trim()) game.hands = numeric(hands);
    if (seed.trim()) game.seed = numeric(seed);
    onStart(game);
  };
  useHotkeys(visible, { enter: () => !busy && start() });
  return (
    <Panel title={t("newMatch")}>
      <p class="hint">{t("playHint")}</p>
      <Ladder value={strength} onChange={setStrength} />
      <div class="fields">
        <RulesSelect value={name} onChange={setName} />
        <Select
          label={t("howMany")}
          value={Math.min(count, most)}
          options={Array.from({ length: most }, (_, at) => [at + 1, String(at + 1)] as const)}
          onChange={setCount}
        />
        <Input label={t("hands")} number placeholder={t("untilLeave")} value={hands} onInput={setHands} />
      </div>
      <Check label={t("gradeMe")} checked={grade} onChange={setGrade} />
      <details class="advanced">
        <summary>{t("advanced")}</summary>
        <div class="fields">
          <Input label={t("seed")} number placeholder={t("randomSeed")} value={seed} onInput={setSeed} />
        </div>
      </details>
      <div class="buttons">
        <button type="button" class="primary" disabled={busy} onClick={start}>
          {t(busy ? "starting" : "startMatch")}
        </button>
      </div>
    </Panel>
  );
}
