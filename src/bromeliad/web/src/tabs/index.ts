/** The tabs of the page. Another game is one more entry here, with a component of its own. */

import type { JSX } from "preact";
import type { IconName } from "../components/icons";
import type { Key } from "../texts";
import { Analyse } from "./analyse/analyse";
import { Fantasyland } from "./fantasyland";
import { Gomoku } from "./gomoku/gomoku";
import { Openings } from "./openings/openings";
import { Play } from "./play/play";
import { Review } from "./review/review";
import { SequenceTab } from "./sequence/sequence";
import { Statistics } from "./statistics/statistics";
import { Train } from "./train/train";

export interface Tab {
  /** As in the address: `#analyse`. */
  id: string;
  title: Key;
  /** For narrow screens, where the title is too long. */
  short?: Key;
  icon: IconName;
  /** Another game than open-face: it is in a menu of its own. */
  other?: boolean;
  /** Stays mounted once it was opened, so that nothing is lost by looking elsewhere. */
  view: (props: { visible: boolean }) => JSX.Element;
}

export const TABS: readonly Tab[] = [
  { id: "analyse", title: "analyse", icon: "analyse", view: Analyse },
  { id: "fantasyland", title: "fantasyland", short: "fantasylandTab", icon: "fantasyland", view: Fantasyland },
  { id: "openings", title: "openings", icon: "openings", view: Openings },
  { id: "play", title: "play", icon: "play", view: Play },
  { id: "train", title: "train", icon: "train", view: Train },
  { id: "review", title: "review", icon: "review", view: Review },
  { id: "statistics", title: "statistics", short: "statisticsTab", icon: "statistics", view: Statistics },
  { id: "gomoku", title: "gomoku", icon: "gomoku", other: true, view: Gomoku },
  { id: "sequence", title: "sequence", short: "sequenceTab", icon: "sequence", other: true, view: SequenceTab },
];
