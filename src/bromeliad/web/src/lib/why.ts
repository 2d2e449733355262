/** Why one placement is better than another, in words made of the measured parts. */

import { INTERVAL } from "../components/evbar";
import type { Key } from "../texts";
import { fixed, percent, signed } from "./numbers";
import type { Translate } from "./settings";
import type { ActionAnswer, EvParts } from "./types";

/** One part of a difference: what it brings the better placement in points, and how both stand. */
interface Reason {
  name: Key;
  points: number;
  mine: string;
  better: string;
}

const SHARE = 0.15; // of the loss: parts below it are not worth a word
const SAID = 3; // parts in a sentence

type Figure = readonly [part: keyof EvParts, name: Key, figure: keyof ActionAnswer, format: (value: number) => string];

const FIGURES: readonly Figure[] = [
  ["fantasyland", "whyFantasyland", "p_fantasyland", percent],
  ["royalties", "whyRoyalties", "royalties", fixed],
  ["foul", "whyFoul", "p_foul", percent],
  ["rows", "whyRows", "row_points", signed],
  ["scoop", "whyScoop", "p_scoop", percent],
  ["opponent_royalties", "whyTheirRoyalties", "opponent_royalties", fixed],
  ["opponent_fantasyland", "whyTheirFantasyland", "opponent_p_fantasyland", percent],
];

/** What `better` wins against `mine`, part by part, the largest first; empty where neither parts nor figures are known. */
function reasonsOf(mine: ActionAnswer, better: ActionAnswer, foulCost: number): Reason[] {
  const found = FIGURES.flatMap(([part, name, figure, format]): Reason[] => {
    const [own, other] = [mine[figure], better[figure]] as [number | null | undefined, number | null | undefined];
    const points = pointsOf(part, mine, better, foulCost);
    if (own == null || other == null || points === null || format(own) === format(other)) return [];
    return [{ name, points, mine: format(own), better: format(other) }];
  });
  return found.sort((a, b) => Math.abs(b.points) - Math.abs(a.points));
}

/** What a part brings the better placement; without parts, what its figure is worth, a foul by its cost. */
function pointsOf(part: keyof EvParts, mine: ActionAnswer, better: ActionAnswer, foulCost: number): number | null {
  if (mine.parts && better.parts) {
    const [own, other] = [mine.parts[part], better.parts[part]];
    return own === null || other === null ? null : other - own;
  }
  const gain = (figure: keyof ActionAnswer) => {
    const [own, other] = [mine[figure], better[figure]] as [number | null, number | null];
    return own === null || other === null ? null : other - own;
  };
  const [ev, royalties, foul] = [gain("ev"), gain("royalties"), gain("p_foul")];
  if (part === "royalties") return royalties;
  if (part === "foul") return foul === null ? null : -foulCost * foul;
  if (part === "rows") return gain("row_points");
  if (part !== "fantasyland" || ev === null || royalties === null || foul === null) return null;
  return ev - royalties + foulCost * foul - (gain("row_points") ?? 0);
}

/** A sentence: what a placement costs, through which parts, and what it has in return. */
export function whyText(t: Translate, mine: ActionAnswer, better: ActionAnswer, foulCost: number, loss: number, stderr: number | null): string {
  const cost = stderr ? t("whyCostsAbout", { loss: fixed(loss), error: fixed(stderr) }) : t("whyCosts", { loss: fixed(loss) });
  const reasons = reasonsOf(mine, better, foulCost).filter(({ points }) => Math.abs(points) > SHARE * loss);
  const say = (all: readonly Reason[]) =>
    all.slice(0, SAID).map((one) => t("whyPart", { name: t(one.name), mine: one.mine, better: one.better })).join(t("comma"));
  const against = say(reasons.filter(({ points }) => points > 0));
  const inReturn = say(reasons.filter(({ points }) => points < 0).slice(0, 1));
  if (!against) return t("whyEnd", { text: cost });
  const text = t("whyBecause", { cost, parts: against });
  return t("whyEnd", { text: inReturn ? t("whyBut", { text, parts: inReturn }) : text });
}

/** Whether a loss may be nothing: the 95 % interval of the difference holds 0. */
export function isClose(loss: number | null, stderr: number | null | undefined): boolean {
  return loss !== null && !!stderr && loss < INTERVAL * stderr;
}
