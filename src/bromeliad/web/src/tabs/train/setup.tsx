/** How to train: the course, a drill or single quizzes, and what about. */

import type { JSX } from "preact";
import { RulesSelect, Select } from "../../components/form";
import { DEFAULT_RULES, useRules } from "../../lib/rules";
import { useText } from "../../lib/settings";
import { type Theme, THEMES } from "./types";

export const MODES = ["course", "drill", "quiz"] as const;
export type Mode = (typeof MODES)[number];

const DIFFICULTIES = ["easy", "medium", "hard"] as const;
const THRESHOLDS = [0.05, 0.25, 0.5, 1, 2] as const; // the first is the least loss that is a mistake
const KEPT = "bromeliad.train";

export interface Wanted {
  mode: Mode;
  rules: string;
  /** Of the course; none means all. */
  themes: readonly Theme[];
  threshold: number;
  street: number | null;
  difficulty: (typeof DIFFICULTIES)[number];
  theme: Theme | null;
}

/** What the reader wanted last: the way and the themes are kept in this browser. */
export function keptWanted(): Wanted {
  const [mode = "", ...themes] = (localStorage.getItem(KEPT) ?? "").split(" ");
  return {
    mode: MODES.find((one) => one === mode) ?? "course",
    rules: DEFAULT_RULES,
    themes: THEMES.filter((theme) => themes.includes(theme)),
    threshold: 0.25,
    street: 4,
    difficulty: "medium",
    theme: null,
  };
}

export function keepWanted({ mode, themes }: Wanted): void {
  localStorage.setItem(KEPT, [mode, ...themes].join(" "));
}

/** The address and the body of the question that the reader wants. */
export function questionOf(wanted: Wanted): [path: string, body: object] {
  const { mode, rules, themes, threshold, street, difficulty, theme } = wanted;
  if (mode === "course") return ["/course/next", { rules, themes }];
  if (mode === "drill") return ["/drills", { rules, threshold }];
  return ["/quiz", { rules, street, difficulty, theme }];
}

interface SetupProps {
  wanted: Wanted;
  onChange: (wanted: Wanted) => void;
}

export function Modes({ wanted, onChange }: SetupProps): JSX.Element {
  const t = useText();
  return (
    <div class="segments" role="group" aria-label={t("trainingMode")}>
      {MODES.map((mode) => (
        <button key={mode} type="button" aria-pressed={wanted.mode === mode} onClick={() => onChange({ ...wanted, mode })}>
          {t(`mode_${mode}`)}
        </button>
      ))}
    </div>
  );
}

export function Setup({ wanted, onChange }: SetupProps): JSX.Element {
  const t = useText();
  const streets = useRules(wanted.rules).streets;
  return (
    <>
      <RulesSelect value={wanted.rules} onChange={(rules) => onChange({ ...wanted, rules, street: 1 })} />
      {wanted.mode === "drill" && (
        <Select
          label={t("logFrom")}
          value={wanted.threshold}
          options={THRESHOLDS.map((one) => [one, t("points", { count: one })] as const)}
          onChange={(threshold) => onChange({ ...wanted, threshold })}
        />
      )}
      {wanted.mode === "quiz" && (
        <>
          <Select
            label={t("streetLabel")}
            value={wanted.street ?? 0}
            options={[[0, t("anyStreet")] as const, ...streets.map((_, at) => [at + 1, t("street", { street: at + 1 })] as const)]}
            onChange={(street) => onChange({ ...wanted, street: street || null, theme: null })}
          />
          <Select
            label={t("themeLabel")}
            value={wanted.theme ?? ""}
            options={[["", t("anyTheme")] as const, ...THEMES.map((theme) => [theme, t(`theme_${theme}`)] as const)]}
            onChange={(theme) => onChange({ ...wanted, theme: theme || null, street: theme ? null : wanted.street })}
          />
          <Select
            label={t("difficulty")}
            value={wanted.difficulty}
            options={DIFFICULTIES.map((one) => [one, t(one)] as const)}
            onChange={(difficulty) => onChange({ ...wanted, difficulty })}
          />
        </>
      )}
    </>
  );
}

/** The themes of the course as switches; none pressed means all. */
export function Themes({ wanted, onChange }: SetupProps): JSX.Element {
  const t = useText();
  const flip = (theme: Theme) =>
    wanted.themes.includes(theme) ? wanted.themes.filter((one) => one !== theme) : [...wanted.themes, theme];
  return (
    <div class="themes" role="group" aria-label={t("themes")}>
      {THEMES.map((theme) => (
        <button key={theme} type="button" aria-pressed={wanted.themes.includes(theme)} onClick={() => onChange({ ...wanted, themes: flip(theme) })}>
          <b>{t(`theme_${theme}`)}</b> <small>{t(`about_${theme}`)}</small>
        </button>
      ))}
    </div>
  );
}
