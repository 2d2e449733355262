/** Placements that are worth the same for a reason that a player sees: only suits or kickers differ that do not matter. */

import { type Card, JOKER, SUITS } from "./cards";
import { boardCards, type Placement, type Position } from "./position";
import type { ActionAnswer } from "./types";

export interface Group {
  first: ActionAnswer;
  /** Those that are worth the same as the first. */
  others: ActionAnswer[];
}

const SAME = 1e-9; // points between two sums of the same numbers
const FIGURES = ["ev", "stderr", "p_foul", "p_fantasyland", "royalties", "p_scoop", "row_points"] as const;

export function placementKey(placement: Placement): string {
  return [placement.top, placement.middle, placement.back, placement.discards].map((cards) => [...cards].sort().join("")).join("/");
}

/** The piles of a position; a change of suits that leaves each of them as it is changes no value. */
export function pilesOf(position: Position): (readonly Card[])[] {
  const others = position.opponents.flatMap((one) => (one.kind === "board" ? [one.board.top, one.board.middle, one.board.back] : []));
  return [position.board.top, position.board.middle, position.board.back, position.cards, position.dead, ...others];
}

type Recolour = (card: Card) => Card;

function orders(suits: readonly string[]): string[][] {
  if (suits.length < 2) return [[...suits]];
  return suits.flatMap((suit) => orders(suits.filter((one) => one !== suit)).map((rest) => [suit, ...rest]));
}

/** Every change of suits that leaves the piles as they are; the one that changes nothing is not among them. */
function symmetries(piles: readonly (readonly Card[])[]): Recolour[] {
  const text = (cards: readonly Card[]) => [...cards].sort().join("");
  return orders([...SUITS])
    .filter((order) => order.join("") !== SUITS)
    .map((order): Recolour => (card) => (card === JOKER ? card : card[0]! + order[SUITS.indexOf(card[1]!)]!))
    .filter((recolour) => piles.every((pile) => text(pile.map(recolour)) === text(pile)));
}

function recoloured(placement: Placement, recolour: Recolour): Placement {
  const { top, middle, back, discards } = placement;
  return { top: top.map(recolour), middle: middle.map(recolour), back: back.map(recolour), discards: discards.map(recolour) };
}

function sameFigures(a: ActionAnswer, b: ActionAnswer): boolean {
  return FIGURES.every((figure) => {
    const [mine, other] = [a[figure] ?? null, b[figure] ?? null];
    return mine === null || other === null ? mine === other : Math.abs(mine - other) < SAME;
  });
}

/** Groups placements that have a value, in the order of the answer: equal figures, or the same but for suits. */
export function groupAlike(actions: readonly ActionAnswer[], piles: readonly (readonly Card[])[]): Group[] {
  const changes = piles.length ? symmetries(piles) : [];
  const groups: Group[] = [];
  const known = new Map<string, Group>();
  for (const action of actions) {
    if (action.ev === null) continue;
    const last = groups.at(-1);
    const found = known.get(placementKey(action)) ?? (last && sameFigures(last.first, action) ? last : undefined);
    if (found) {
      found.others.push(action);
      continue;
    }
    const group = { first: action, others: [] };
    groups.push(group);
    for (const change of changes) known.set(placementKey(recoloured(action, change)), group);
  }
  return groups;
}

/** The piles of placements on a board, where nothing else is known. */
export function pilesAround(board: Position["board"], actions: readonly Placement[]): (readonly Card[])[] {
  const one = actions[0];
  return one ? [board.top, board.middle, board.back, [...boardCards(one), ...one.discards]] : [];
}
