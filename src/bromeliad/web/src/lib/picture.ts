/** A position or a mistake as a picture, made in the browser: SVG, or PNG drawn from it. */

import { type Card, JOKER } from "./cards";
import { PIPS, STAR } from "./faces";
import { fixed } from "./numbers";
import { type Board, type Placement, ROW_SIZES, ROWS } from "./position";
import type { ActionAnswer } from "./types";

export interface PictureBoard {
  label: string;
  board: Board;
  /** What a placement adds; it stands out. */
  fresh: Placement | null;
}

export interface Picture {
  title: string;
  dealt: readonly Card[];
  boards: readonly PictureBoard[];
}

const COLOURS: Record<string, string> = { s: "#1d2126", h: "#cb2232", d: "#1b62bd", c: "#17793b", k: "#8a4bb0" };
const [CARD, HIGH, GAP, EDGE] = [48, 64, 6, 28]; // a card's width and height, the room between cards, the room around
const COLUMN = 5 * CARD + 4 * GAP + 2 * EDGE;
const LINE = 56; // characters of the title in a line, per board
const FONT = 'font-family="Figtree, system-ui, sans-serif"';

const escape = (text: string) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`);

/** An EV with its error, as text. */
export function worthText({ ev, stderr, exact }: ActionAnswer): string {
  return ev === null ? "" : exact || stderr === null ? fixed(ev) : `${fixed(ev)} ± ${fixed(stderr)}`;
}

function face(card: Card, x: number, y: number, fresh: boolean): string {
  const sheet = `<rect x="1" y="1" width="58" height="78" rx="8" fill="#fff" stroke="${fresh ? "#f2c14e" : "#cfcdc2"}" stroke-width="${fresh ? 5 : 1.5}"/>`;
  const sign =
    card === JOKER
      ? `<path d="${STAR}" transform="translate(30 40) scale(1.6)"/>`
      : `<text x="30" y="40" font-size="44" font-weight="700" text-anchor="middle" ${FONT}>${card[0]}</text><path d="${PIPS[card[1]!]}" transform="translate(30 61) scale(.92)"/>`;
  return `<g transform="translate(${x} ${y}) scale(${CARD / 60})" fill="${COLOURS[card[1]!]}">${sheet}${sign}</g>`;
}

function cardsAt(cards: readonly { card: Card | null; fresh: boolean }[], left: number, y: number): string {
  return cards
    .map(({ card, fresh }, at) => {
      const x = left + at * (CARD + GAP);
      return card === null ? `<rect x="${x}" y="${y}" width="${CARD}" height="${HIGH}" rx="6" fill="none" stroke="#eef6f1" stroke-opacity=".4" stroke-dasharray="4 4"/>` : face(card, x, y, fresh);
    })
    .join("");
}

const widthOf = (count: number) => count * CARD + (count - 1) * GAP;

function boardAt({ label, board, fresh }: PictureBoard, left: number, top: number): string {
  const rows = ROWS.map((row, at) => {
    const held = board[row].map((card) => ({ card: card as Card | null, fresh: false }));
    const added = (fresh?.[row] ?? []).map((card) => ({ card: card as Card | null, fresh: true }));
    const free = Array.from({ length: Math.max(ROW_SIZES[row] - held.length - added.length, 0) }, () => ({ card: null, fresh: false }));
    return cardsAt([...held, ...added, ...free], left + (COLUMN - widthOf(ROW_SIZES[row])) / 2, top + 34 + at * (HIGH + GAP));
  });
  return `<text x="${left + COLUMN / 2}" y="${top + 18}" text-anchor="middle" font-size="16" fill="#eef6f1" ${FONT}>${escape(label)}</text>${rows.join("")}`;
}

function wrapped(text: string, most: number): string[] {
  const lines = [""];
  for (const word of text.split(/(?<=[\s\u3000-\u9fff，。：；])/u)) {
    if ((lines.at(-1) + word).length > most && lines.at(-1)) lines.push("");
    lines[lines.length - 1] += word;
  }
  return lines.map((line) => line.trim());
}

export function pictureSvg({ title, dealt, boards }: Picture): string {
  const width = Math.max(boards.length, 1) * COLUMN;
  const lines = wrapped(title, LINE * Math.max(boards.length, 0.75));
  const first = EDGE + lines.length * 24;
  const hand = dealt.length ? HIGH + 2 * GAP + 8 : 0;
  const height = first + hand + 34 + 3 * (HIGH + GAP) + EDGE + 16;
  const words = lines.map((line, at) => `<text x="${width / 2}" y="${EDGE + 14 + at * 24}" text-anchor="middle" font-size="17" font-weight="650" fill="#fff" ${FONT}>${escape(line)}</text>`);
  const shown = cardsAt(dealt.map((card) => ({ card, fresh: true })), (width - widthOf(dealt.length)) / 2, first + GAP);
  const drawn = boards.map((board, at) => boardAt(board, at * COLUMN, first + hand));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">` +
    `<defs><radialGradient id="felt" cx=".5" cy=".2" r="1"><stop offset="0" stop-color="#2a7459"/><stop offset="1" stop-color="#1c5a44"/></radialGradient></defs>` +
    `<rect width="${width}" height="${height}" fill="url(#felt)"/>${words.join("")}${shown}${drawn.join("")}` +
    `<text x="${width - 12}" y="${height - 10}" text-anchor="end" font-size="12" fill="#eef6f1" ${FONT}>Bromeliad</text></svg>`
  );
}

const SCALE = 2; // pixels of a PNG per unit, for sharp screens

async function toPng(svg: string): Promise<Blob> {
  const image = new Image();
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = SCALE * image.width;
  canvas.height = SCALE * image.height;
  canvas.getContext("2d")!.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((done, failed) => canvas.toBlob((blob) => (blob ? done(blob) : failed(new Error("no picture"))), "image/png"));
}

/** Gives the reader a file to keep. */
export async function savePicture(picture: Picture, kind: "svg" | "png"): Promise<void> {
  const svg = pictureSvg(picture);
  const blob = kind === "svg" ? new Blob([svg], { type: "image/svg+xml" }) : await toPng(svg);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = `bromeliad.${kind}`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
