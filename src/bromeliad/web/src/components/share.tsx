/** Ways to show others what one sees: a link, a picture. */

import type { JSX } from "preact";
import { useRef, useState } from "preact/hooks";
import { type Picture, savePicture } from "../lib/picture";
import { useText } from "../lib/settings";
import { Icon } from "./icons";

interface ShareProps {
  /** The address of what is shared, from `#` on. */
  link: string;
  picture: () => Picture;
}

export function Share({ link, picture }: ShareProps): JSX.Element {
  const t = useText();
  const menu = useRef<HTMLDetailsElement>(null);
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard?.writeText(new URL(link, location.href).href);
    setCopied(true);
  };
  const save = (kind: "svg" | "png") => {
    menu.current?.removeAttribute("open");
    void savePicture(picture(), kind);
  };
  return (
    <details class="share" ref={menu} onToggle={() => setCopied(false)}>
      <summary aria-label={t("shareIt")} title={t("shareIt")}>
        <Icon name="share" />
      </summary>
      <div class="menu">
        <button type="button" onClick={() => void copy()}>{t(copied ? "copied" : "share")}</button>
        <button type="button" onClick={() => save("png")}>{t("savePng")}</button>
        <button type="button" onClick={() => save("svg")}>{t("saveSvg")}</button>
      </div>
    </details>
  );
}
