/** Questions that a restart of the service has interrupted: they can be asked again. */

import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ask } from "../../lib/api";
import { fromQuery, type Position } from "../../lib/position";
import { DEFAULT_RULES } from "../../lib/rules";
import { useText } from "../../lib/settings";

interface StoredJob {
  id: string;
  game: string;
  status: string;
  request: { rules?: string; cards?: string; board?: string; dead?: string; opponents?: string[] };
}

const SHOWN = 5;

function positionOf({ rules = DEFAULT_RULES, cards = "", board = "", dead = "", opponents = [] }: StoredJob["request"]): Position {
  const query = new URLSearchParams({ rules, cards, board, dead });
  for (const opponent of opponents) query.append("opponent", opponent);
  return fromQuery(query, rules);
}

interface InterruptedProps {
  visible: boolean;
  /** Called with the position, and the address that begins the job again. */
  onResume: (position: Position, path: string) => void;
}

export function Interrupted({ visible, onResume }: InterruptedProps): JSX.Element | null {
  const t = useText();
  const [jobs, setJobs] = useState<StoredJob[]>([]);
  useEffect(() => {
    if (!visible) return;
    const mine = (job: StoredJob) => job.status === "interrupted" && job.game === "ofc";
    ask<StoredJob[]>("GET", "/jobs").then((all) => setJobs(all.filter(mine).slice(0, SHOWN)), () => setJobs([]));
  }, [visible]);
  if (!jobs.length) return null;
  const resume = (job: StoredJob) => {
    setJobs(jobs.filter((one) => one !== job));
    onResume(positionOf(job.request), `/jobs/${job.id}/resume`);
  };
  return (
    <div class="interrupted">
      <h3>{t("interrupted")}</h3>
      <div class="buttons">
        {jobs.map((job) => (
          <button type="button" key={job.id} onClick={() => resume(job)}>
            {t("resume", { cards: job.request.cards || job.request.board || job.id })}
          </button>
        ))}
      </div>
    </div>
  );
}
