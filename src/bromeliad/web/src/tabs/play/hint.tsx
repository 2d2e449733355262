/** A hint on request: what the solver would do with these cards, against these boards. */

import type { JSX } from "preact";
import { Notice } from "../../components/form";
import { Headline } from "../../components/headline";
import { Thinking } from "../../components/thinking";
import { useJob } from "../../lib/jobs";
import { useText } from "../../lib/settings";
import type { ActionAnswer, Answer } from "../../lib/types";
import type { Game } from "./types";

const SECONDS = 1;

export function Hint({ game }: { game: Game }): JSX.Element {
  const t = useText();
  const job = useJob<Answer, ActionAnswer>();
  const ask = () => {
    const opponents = game.opponents.map((one) => (one.hidden > 0 ? `fantasyland:${one.hidden}` : one.board));
    const fantasyland = game.you.fantasyland > 0;
    const request = { rules: game.rules, cards: game.you.cards.join(" "), board: game.you.board, dead: game.you.discards.join(" "), opponents, fantasyland, time: SECONDS };
    job.start("/jobs", { game: "ofc", request });
  };
  return (
    <div class="hint-box">
      {job.answer ? (
        <Headline actions={job.answer.actions} piles={[]} />
      ) : (
        <button type="button" class="quiet" disabled={job.busy} onClick={ask}>{t("giveHint")}</button>
      )}
      <Thinking state={job} />
      <Notice problem={job.problem} />
    </div>
  );
}
