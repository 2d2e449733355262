/** Small parts of forms, and what every tab says about problems. */

import type { ComponentChildren, JSX } from "preact";
import { useId } from "preact/hooks";
import { Problem } from "../lib/api";
import { rulesName } from "../lib/names";
import { useAllRules } from "../lib/rules";
import { useText } from "../lib/settings";

interface SelectProps<T extends string | number> {
  label: string;
  value: T;
  options: readonly (readonly [T, string])[];
  onChange: (value: T) => void;
}

export function Select<T extends string | number>({ label, value, options, onChange }: SelectProps<T>): JSX.Element {
  const id = useId();
  const changed = (text: string) => {
    const found = options.find(([option]) => String(option) === text);
    if (found) onChange(found[0]);
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select id={id} value={String(value)} onChange={(event) => changed(event.currentTarget.value)}>
        {options.map(([option, name]) => (
          <option key={option} value={String(option)}>
            {name}
          </option>
        ))}
      </select>
    </div>
  );
}

interface InputProps {
  label: string;
  value: string;
  placeholder?: string;
  number?: boolean;
  onInput: (value: string) => void;
}

export function Input({ label, value, placeholder, number, onInput }: InputProps): JSX.Element {
  const id = useId();
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        value={value}
        placeholder={placeholder ?? ""}
        inputMode={number ? "decimal" : "text"}
        autoComplete="off"
        autoCapitalize="off"
        spellcheck={false}
        onInput={(event) => onInput(event.currentTarget.value)}
      />
    </div>
  );
}

interface CheckProps {
  label: string;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export function Check({ label, checked, onChange }: CheckProps): JSX.Element {
  return (
    <label class="check">
      <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  );
}

export function RulesSelect({ value, onChange }: { value: string; onChange: (name: string) => void }): JSX.Element {
  const t = useText();
  const options = useAllRules().map((rules) => [rules.name, rulesName(t, rules.name)] as const);
  return <Select label={t("rules")} value={value} options={options} onChange={onChange} />;
}

/** A text whose parts between backticks are code. */
export function Say({ text }: { text: string }): JSX.Element {
  return <>{text.split("`").map((part, at) => (at % 2 ? <code key={at}>{part}</code> : part))}</>;
}

/** A problem in the reader's words; nothing where there is none. */
export function Notice({ problem }: { problem: Problem | string | null }): JSX.Element | null {
  const t = useText();
  if (!problem) return null;
  const text = typeof problem === "string" ? problem : problem.message || t(problem.status === 0 ? "unreachable" : "failed");
  return (
    <p class="notice" role="alert">
      <Say text={text} />
    </p>
  );
}

/** What the errors beside figures mean; the same everywhere on the page. */
export function ErrorNote(): JSX.Element {
  const t = useText();
  return <p class="muted small">{t("errorNote")}</p>;
}

export function Panel({ title, actions, children }: { title: string; actions?: ComponentChildren; children: ComponentChildren }): JSX.Element {
  return (
    <section class="panel" aria-label={title}>
      <header>
        <h2>{title}</h2>
        {actions && <div class="actions">{actions}</div>}
      </header>
      {children}
    </section>
  );
}
