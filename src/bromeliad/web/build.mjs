// Bundles the page into static/: one script, one style sheet, one font, the document, its icon and manifest, and the worker that keeps them. Nothing is loaded from elsewhere.
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
  loader: { ".woff2": "file" },
  assetNames: "[name]",
  logLevel: "warning",
});
for (const file of ["index.html", "icon.svg", "manifest.json", "worker.js"]) await cp("src/" + file, out + file);
await cp("node_modules/@fontsource-variable/figtree/LICENSE", out + "figtree-license.txt");
