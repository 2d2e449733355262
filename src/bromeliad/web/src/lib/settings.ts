/** What a reader chooses for all tabs: language and theme, kept in this browser. */

import { createContext } from "preact";
import { useContext, useEffect, useState } from "preact/hooks";
import { speak } from "./api";
import { type Key, type Language, LANGUAGES, texts } from "../texts";

export type Theme = "auto" | "light" | "dark";
export type Translate = (key: Key, values?: Record<string, string | number>) => string;

interface Settings {
  language: Language;
  theme: Theme;
  setLanguage: (language: Language) => void;
  setTheme: (theme: Theme) => void;
}

function stored<T extends string>(name: string, allowed: readonly T[], fallback: T): T {
  const value = localStorage.getItem(`bromeliad.${name}`) as T | null;
  return value !== null && allowed.includes(value) ? value : fallback;
}

function browserLanguage(): Language {
  for (const name of navigator.languages) {
    if (/^zh-(tw|hk|mo|hant)/i.test(name)) return "zh-TW";
    if (/^zh/i.test(name)) return "zh-CN";
    if (/^en/i.test(name)) return "en";
  }
  return "en";
}

const Context = createContext<Settings | null>(null);
export const SettingsProvider = Context.Provider;

export function useMakeSettings(): Settings {
  const [language, setLanguage] = useState(() => stored("language", LANGUAGES, browserLanguage()));
  const [theme, setTheme] = useState(() => stored<Theme>("theme", ["auto", "light", "dark"], "auto"));
  speak(language);
  useEffect(() => {
    document.documentElement.lang = language;
    localStorage.setItem("bromeliad.language", language);
  }, [language]);
  useEffect(() => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    localStorage.setItem("bromeliad.theme", theme);
    window.dispatchEvent(new Event("bromeliad:theme"));
  }, [theme]);
  return { language, theme, setLanguage, setTheme };
}

export function useSettings(): Settings {
  const settings = useContext(Context);
  if (!settings) throw new Error("no settings around this component");
  return settings;
}

export function translate(language: Language, key: Key, values: Record<string, string | number> = {}): string {
  const text = texts[key][LANGUAGES.indexOf(language)] as string;
  const filled = (whole: string, name: string, one?: string, many?: string) => {
    const value = String(values[name] ?? whole);
    return one === undefined ? value : /^[+−]?1$/.test(value) ? one : many!;
  };
  return text.replace(/\{(\w+)(?:\|([^|}]*)\|([^}]*))?\}/g, filled);
}

/** The function that says a text in the reader's language, its `{fields}` filled; `{count|point|points}` is the word for one or for many. */
export function useText(): Translate {
  const { language } = useSettings();
  return (key, values) => translate(language, key, values);
}
