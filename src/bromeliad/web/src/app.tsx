/** The page around the tabs: its head, the tab that is open, and what is said while nothing is there yet. */

import type { JSX, TargetedMouseEvent } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Notice } from "./components/form";
import { Icon } from "./components/icons";
import { Keymap } from "./components/keymap";
import { Problem } from "./lib/api";
import { openRoute, useRoute } from "./lib/route";
import { fetchRules, RulesProvider } from "./lib/rules";
import { SettingsProvider, type Theme, useMakeSettings, useSettings, useText } from "./lib/settings";
import type { Rules } from "./lib/types";
import { type Tab, TABS } from "./tabs";
import { LANGUAGES, LANGUAGE_NAMES, type Language } from "./texts";

export function App(): JSX.Element {
  const settings = useMakeSettings();
  return (
    <SettingsProvider value={settings}>
      <Frame />
    </SettingsProvider>
  );
}

function Frame(): JSX.Element {
  const t = useText();
  const { tab } = useRoute();
  const open = TABS.find(({ id }) => id === tab) ?? TABS[0]!;
  const visited = useRef(new Set<string>());
  visited.current.add(open.id);
  useEffect(() => {
    document.title = `${t(open.title)} · Bromeliad`;
  });
  return (
    <>
      <a class="skip" href={`#${open.id}`} onClick={(event) => skip(event)}>
        {t("skip")}
      </a>
      <Head open={open.id} />
      <main id="main" tabIndex={-1}>
        <h1 class="only-heard">{t(open.title)}</h1>
        <WithRules>
          {TABS.filter(({ id }) => visited.current.has(id)).map(({ id, view: View }) => (
            <div key={id} class="tab" hidden={id !== open.id}>
              <View visible={id === open.id} />
            </div>
          ))}
        </WithRules>
      </main>
    </>
  );
}

function skip(event: TargetedMouseEvent<HTMLElement>): void {
  event.preventDefault();
  document.getElementById("main")?.focus();
}

function Head({ open }: { open: string }): JSX.Element {
  const t = useText();
  return (
    <header class="head">
      <a class="brand" href="#analyse">
        <img src="icon.svg" alt="" width="28" height="28" />
        <span>Bromeliad</span>
      </a>
      <nav aria-label={t("tabs")}>
        {TABS.filter((tab) => !tab.other).map((tab) => (
          <TabLink key={tab.id} tab={tab} open={open} />
        ))}
        <OtherGames open={open} />
      </nav>
      <Choices />
    </header>
  );
}

function TabLink({ tab: { id, title, short, icon }, open }: { tab: Tab; open: string }): JSX.Element {
  const t = useText();
  return (
    <a href={`#${id}`} aria-current={id === open ? "page" : undefined} onClick={(event) => (event.preventDefault(), openRoute(id))}>
      <Icon name={icon} />
      <span class="long">{t(title)}</span>
      <span class="short">{t(short ?? title)}</span>
    </a>
  );
}

/** A menu of the games that are not open-face. */
function OtherGames({ open }: { open: string }): JSX.Element {
  const t = useText();
  const menu = useRef<HTMLDetailsElement>(null);
  const others = TABS.filter((tab) => tab.other);
  const inside = others.some(({ id }) => id === open);
  useLayoutEffect(() => {
    menu.current?.removeAttribute("open"); // with the change of tabs, not a frame later
  }, [open]);
  return (
    <details class="other-games" ref={menu}>
      <summary class={inside ? "current" : ""}>
        <Icon name="gomoku" />
        <span class="long">{t("otherGames")}</span>
        <span class="short">{t("otherGamesTab")}</span>
      </summary>
      <div class="menu">
        {others.map((tab) => (
          <TabLink key={tab.id} tab={tab} open={open} />
        ))}
      </div>
    </details>
  );
}

const NEXT: Record<Theme, Theme> = { auto: "dark", dark: "light", light: "auto" };

function Choices(): JSX.Element {
  const t = useText();
  const { language, setLanguage, theme, setTheme } = useSettings();
  const names = { auto: t("themeAuto"), light: t("themeLight"), dark: t("themeDark") };
  const label = t("theme", { name: names[theme] });
  return (
    <div class="choices">
      <Keymap />
      <button type="button" class="icon" aria-label={label} title={label} onClick={() => setTheme(NEXT[theme])}>
        <Icon name="theme" />
      </button>
      <select aria-label={t("language")} value={language} onChange={(event) => setLanguage(event.currentTarget.value as Language)}>
        {LANGUAGES.map((name) => (
          <option key={name} value={name} lang={name}>
            {LANGUAGE_NAMES[name]}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Shows its children once the rule sets are there; a service that still starts is asked again. */
function WithRules({ children }: { children: JSX.Element[] }): JSX.Element {
  const t = useText();
  const [rules, setRules] = useState<Rules[]>([]);
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    const load = async () => {
      try {
        setRules(await fetchRules());
        setProblem(null);
      } catch (error) {
        setProblem(error instanceof Problem ? error : new Problem(0, ""));
        timer = setTimeout(() => void load(), 2000);
      }
    };
    void load();
    return () => clearTimeout(timer);
  }, []);
  if (rules.length) return <RulesProvider value={rules}>{children}</RulesProvider>;
  return problem ? <Notice problem={problem} /> : <p class="hint">{t("loading")}</p>;
}
