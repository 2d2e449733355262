// Bundles the page into static/: one script, one style sheet, the document and its icon. Nothing is loaded from elsewhere.
import { build } from "esbuild";
import { cp, mkdir, rm } from "node:fs/promises";

const out = new URL("static/", import.meta.url).pathname;
await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await build({
  entryPoints: { page: "src/main.tsx" },
  outdir: out,
  bundle: true,
  minify: true,
  charset: "utf8",
  format: "esm",
  target: "es2022",
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
await cp("src/index.html", out + "index.html");
await cp("src/icon.svg", out + "icon.svg");
