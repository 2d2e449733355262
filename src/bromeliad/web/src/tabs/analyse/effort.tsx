/** The controls of an analysis' effort. */

import type { JSX } from "preact";
import { Input, Select } from "../../components/form";
import { useText } from "../../lib/settings";
import { type Effort, TIMES } from "./settings";

interface Props {
  effort: Effort;
  onChange: (change: Partial<Effort>) => void;
}

export function TimeSelect({ effort, onChange }: Props): JSX.Element {
  const t = useText();
  const options = TIMES.map((seconds) => [seconds, t("seconds", { count: seconds })] as const);
  if (effort.by === "simulations")
    return <Input label={t("simulations")} number value={effort.simulations} onInput={(simulations) => onChange({ simulations })} />;
  return <Select label={t("time")} value={effort.time} options={options} onChange={(time) => onChange({ time })} />;
}

export function Advanced({ effort, onChange }: Props): JSX.Element {
  const t = useText();
  return (
    <details class="advanced">
      <summary>{t("advanced")}</summary>
      <div class="fields">
        <Select
          label={t("effort")}
          value={effort.by}
          options={[["time", t("byTime")], ["simulations", t("bySimulations")]]}
          onChange={(by) => onChange({ by })}
        />
        <Input label={t("threads")} number placeholder={t("allCores")} value={effort.threads} onInput={(threads) => onChange({ threads })} />
        <Input label={t("seed")} number value={effort.seed} onInput={(seed) => onChange({ seed })} />
        <Select
          label={t("objective")}
          value={effort.objective}
          options={[["auto", t("objectiveAuto")], ["solo", t("objectiveSolo")], ["versus", t("objectiveVersus")]]}
          onChange={(objective) => onChange({ objective })}
        />
        <Input label={t("foulCost")} number placeholder={t("asRules")} value={effort.foulCost} onInput={(foulCost) => onChange({ foulCost })} />
        <Input label={t("worth")} placeholder="14=9.9" value={effort.worth} onInput={(worth) => onChange({ worth })} />
      </div>
    </details>
  );
}
