/** The state of the course: what is due, accuracy and streaks, and where points leak. */

import type { ComponentChildren, JSX } from "preact";
import { INTERVAL } from "../../components/evbar";
import { ErrorNote, Panel } from "../../components/form";
import { fromNow } from "../../lib/dates";
import { fixed, percent } from "../../lib/numbers";
import { useSettings, useText } from "../../lib/settings";
import type { Course, Leak, Theme } from "./types";

export function Report({ course }: { course: Course }): JSX.Element {
  const t = useText();
  const { language } = useSettings();
  const { accuracy, next_due: next } = course;
  const later = next !== null && course.due === 0;
  return (
    <dl class="figures sums course">
      <Figure name="due" label={t("dueNow")} value={course.due} note={later ? t("nextLesson", { when: fromNow(next, language) }) : t("lessonsOf", { count: course.lessons })}>
        {course.due}
      </Figure>
      <Figure name="accuracy" label={t("accuracy")} value={accuracy.mean ?? 0} note={accuracy.stderr !== null ? `±${fixed(accuracy.stderr, 1)}` : ""}>
        {accuracy.mean === null ? "–" : `${fixed(accuracy.mean, 1)}\u00a0%`}
      </Figure>
      <Figure name="streak" label={t("streakLabel")} value={course.streak} note={t("bestStreak", { count: course.best_streak })}>
        {course.streak}
      </Figure>
      <Figure name="days" label={t("daysInARow")} value={course.days} note="">
        {course.days}
      </Figure>
    </dl>
  );
}

function Figure({ name, label, value, note, children }: { name: string; label: string; value: number; note: string; children: ComponentChildren }): JSX.Element {
  return (
    <div class={`figure ${name}`}>
      <dt>{label}</dt>
      <dd>
        <data value={value}>{children}</data> {note && <small>{note}</small>}
      </dd>
    </div>
  );
}

export function Leaks({ leaks, onTrain }: { leaks: readonly Leak[]; onTrain: (theme: Theme) => void }): JSX.Element {
  const t = useText();
  const reach = Math.max(...leaks.map(({ loss }) => high(loss)), 0.01);
  return (
    <Panel title={t("leaks")}>
      <p class="hint">{t("hintLeaks")}</p>
      <div class="table-box leaks">
        <table>
          <thead>
            <tr>
              <th scope="col">{t("category")}</th>
              <th scope="col">{t("answersCount")}</th>
              <th scope="col" colSpan={2}>{t("lostEach")}</th>
              <th scope="col">{t("mistakeShare")}</th>
            </tr>
          </thead>
          <tbody>
            {leaks.map((leak) => {
              const { theme, street, loss, mistakes } = leak;
              return (
                <tr key={`${theme}${street}`}>
                  <td>
                    {theme ? (
                      <button type="button" class="link" onClick={() => onTrain(theme)}>{t(`theme_${theme}`)}</button>
                    ) : street === null ? (
                      t("fantasylandHand")
                    ) : (
                      t("street", { street })
                    )}
                  </td>
                  <td>{loss.count}</td>
                  <td>
                    <data value={loss.mean ?? 0}>{fixed(loss.mean ?? 0)}</data>
                    {loss.stderr !== null && ` ±${fixed(loss.stderr)}`}
                  </td>
                  <td>
                    <Interval leak={leak} reach={reach} />
                  </td>
                  <td>
                    {percent(mistakes.share ?? 0)}
                    <small>
                      {percent(mistakes.low ?? 0)} – {percent(mistakes.high ?? 1)}
                    </small>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      <ErrorNote />
    </Panel>
  );
}

function high(loss: Leak["loss"]): number {
  return (loss.mean ?? 0) + INTERVAL * (loss.stderr ?? 0);
}

/** The mean loss and its interval, on the axis of all rows. */
function Interval({ leak: { loss }, reach }: { leak: Leak; reach: number }): JSX.Element {
  const at = (value: number) => (100 * Math.max(value, 0)) / reach;
  const mean = loss.mean ?? 0;
  const low = at(mean - INTERVAL * (loss.stderr ?? 0));
  return (
    <svg viewBox="0 0 100 12" preserveAspectRatio="none" aria-hidden="true">
      <rect class="mean" x="0" y="2" width={at(mean)} height="8" />
      {loss.stderr !== null && <rect class="interval" x={low} y="5" width={at(high(loss)) - low} height="2" />}
    </svg>
  );
}
