/** Openings: all first deals of the opening book, by conditions; sums, a heat map and a table to sort. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Placed } from "../../components/candidates";
import { Notice, Panel, Select } from "../../components/form";
import { CardImage } from "../../components/card";
import { ask, Problem } from "../../lib/api";
import { parseCards, RANKS } from "../../lib/cards";
import { fixed, percent, thousands } from "../../lib/numbers";
import { openRoute, readRoute, replaceRoute, useOpened } from "../../lib/route";
import { DEFAULT_RULES } from "../../lib/rules";
import { useText } from "../../lib/settings";
import type { Key } from "../../texts";
import { Heatmap } from "./heatmap";
import { ANY, conditions, type Explored, type Field, type Filter, KINDS, type Opening, readFilter } from "./types";

const TAB = "openings";
const PAGE = 50; // deals that are asked for at once
const LEADS = ["0.25", "0.5", "1", "2"] as const;
const SUITED = ["2", "3", "4", "5"] as const;
const CONNECTED = ["1", "2", "3", "4", "5"] as const;
type Sort = "ev" | "lead" | "foul" | "fantasyland" | "royalties" | "share";

const COLUMNS: readonly (readonly [Sort, Key])[] = [
  ["ev", "ev"],
  ["lead", "leadColumn"],
  ["foul", "foul"],
  ["fantasyland", "fantasylandColumn"],
  ["royalties", "royaltiesColumn"],
  ["share", "dealsColumn"],
];

function begin(): Filter {
  const { tab, query } = readRoute();
  return tab === TAB ? readFilter(query) : ANY;
}

export function Openings({ visible }: { visible: boolean }): JSX.Element {
  const t = useText();
  const [filter, setFilter] = useState(begin);
  const [sort, setSort] = useState<{ by: Sort; descending: boolean }>({ by: "ev", descending: true });
  const [found, setFound] = useState<Explored | null>(null);
  const [problem, setProblem] = useState<Problem | null>(null);
  const wanted = new URLSearchParams(conditions(filter).map((text) => ["filter", text]));
  const query = wanted.toString();
  const ordered = new URLSearchParams([...wanted, ["sort", sort.by], ["descending", String(sort.descending)], ["limit", String(PAGE)]]);
  const address = `/book/deals?rules=${DEFAULT_RULES}&${ordered}`;
  const fetchFrom = (offset: number) => ask<Explored>("GET", `${address}&offset=${offset}`);

  useEffect(() => {
    if (visible) replaceRoute(TAB, query);
  }, [visible, query]);
  useOpened(TAB, (opened) => setFilter(readFilter(opened)));
  useEffect(() => {
    if (!visible) return undefined;
    let current = true;
    fetchFrom(0).then(
      (all) => current && (setFound(all), setProblem(null)),
      (error: Problem) => current && setProblem(error),
    );
    return () => void (current = false);
  }, [visible, address]);

  const more = async () => {
    if (!found) return;
    const next = await fetchFrom(found.openings.length);
    setFound({ ...found, openings: [...found.openings, ...next.openings] });
  };
  const change = (part: Partial<Filter>) => setFilter({ ...filter, ...part });
  const chooser = (field: Field, label: Key, values: readonly string[], name: (value: string) => string = (value) => value) => (
    <Select label={t(label)} value={filter[field]} options={[["", t("any")], ...values.map((value) => [value, name(value)] as const)]} onChange={(value) => change({ [field]: value })} />
  );
  const any = conditions(filter).length === 0;
  return (
    <div class="explorer">
      <div class="column">
        <Panel title={t("openingsTitle")} actions={any ? undefined : <button type="button" onClick={() => setFilter(ANY)}>{t("clear")}</button>}>
          <div class="fields">
            {chooser("kind", "kindOf", KINDS, (kind) => t(`kind_${kind.replaceAll(" ", "_")}` as Key))}
            {chooser("pair", "pairOf", [...RANKS])}
            {chooser("high", "highOf", [...RANKS])}
            {chooser("suited", "suitedOf", SUITED)}
            {chooser("connected", "connectedOf", CONNECTED)}
            {chooser("shape", "shapeOf", Object.keys(found?.shapes ?? {}))}
            {chooser("lead", "leadOf", LEADS, (lead) => t("points", { count: lead }))}
          </div>
          <Notice problem={problem} />
          {found && <Sums found={found} />}
        </Panel>
        {found && (
          <Panel title={t("heatmap")}>
            <Heatmap cells={found.cells} high={filter.high} second={filter.second} onChoose={(high, second) => change({ high, second })} />
            <p class="hint small">{t("hintHeatmap")}</p>
          </Panel>
        )}
      </div>
      <Panel title={t("firstDeals")}>
        {found && <Deals found={found} sort={sort} onSort={(by) => setSort({ by, descending: sort.by === by ? !sort.descending : true })} />}
        {found && found.openings.length < found.hands && (
          <button type="button" class="quiet" onClick={() => void more()}>{t("showMore")}</button>
        )}
      </Panel>
    </div>
  );
}

function Sums({ found }: { found: Explored }): JSX.Element {
  const t = useText();
  const entries = [
    ["hands", t("dealsUpToSuits"), found.hands, thousands],
    ["share", t("shareOfAll"), found.share, percent],
    ["ev", t("ev"), found.ev, fixed],
    ["lead", t("leadColumn"), found.lead, fixed],
    ["foul", t("foul"), found.foul, percent],
    ["fantasyland", t("fantasylandShort"), found.fantasyland, percent],
  ] as const;
  return (
    <dl class="figures sums">
      {entries.map(([name, label, value, format]) => (
        <div class={`figure ${name}`} key={name}>
          <dt>{label}</dt>
          <dd>{value === null ? "–" : <data value={value}>{format(value)}</data>}</dd>
        </div>
      ))}
    </dl>
  );
}

interface DealsProps {
  found: Explored;
  sort: { by: Sort; descending: boolean };
  onSort: (by: Sort) => void;
}

function Deals({ found, sort, onSort }: DealsProps): JSX.Element {
  const t = useText();
  return (
    <div class="table-box deals" tabIndex={0} role="region" aria-label={t("firstDeals")}>
      <table>
        <thead>
          <tr>
            <th scope="col">{t("dealt")}</th>
            <th scope="col">{t("best")}</th>
            {COLUMNS.map(([by, label]) => (
              <th scope="col" key={by} aria-sort={sort.by === by ? (sort.descending ? "descending" : "ascending") : "none"}>
                <button type="button" class="sorter" onClick={() => onSort(by)}>
                  {t(label)} {sort.by === by && <span aria-hidden="true">{sort.descending ? "▾" : "▴"}</span>}
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {found.openings.map((opening) => (
            <Deal key={opening.cards} opening={opening} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Deal({ opening }: { opening: Opening }): JSX.Element {
  const t = useText();
  const { cards } = parseCards(opening.cards);
  const open = () => openRoute("analyse", `rules=${DEFAULT_RULES}&cards=${cards.join("")}`);
  const share = (value: number | null) => (value === null ? "–" : <data value={value}>{percent(value)}</data>);
  return (
    <tr class="deal">
      <td>
        <button type="button" class="open-deal" aria-label={`${t("openAnalyse")}: ${opening.cards}`} onClick={open}>
          {cards.map((card, at) => (
            <CardImage card={card} key={at} />
          ))}
        </button>
      </td>
      <td>
        <Placed placement={{ ...opening, discards: [] }} />
      </td>
      <td>
        <data class="ev" value={opening.ev}>{fixed(opening.ev)}</data> <small>±{fixed(opening.stderr)}</small>
      </td>
      <td>{opening.lead === null ? "–" : <data value={opening.lead}>{fixed(opening.lead)}</data>}</td>
      <td>{share(opening.foul)}</td>
      <td>{share(opening.fantasyland)}</td>
      <td>{opening.royalties === null ? "–" : fixed(opening.royalties, 1)}</td>
      <td>{opening.deals}</td>
    </tr>
  );
}
