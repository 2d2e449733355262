/** Starts the page. */

import { render } from "preact";
import { App } from "./app";
import { keepToken } from "./lib/api";
import "./style/theme.css";
import "./style/layout.css";
import "./style/cards.css";
import "./style/parts.css";
import "./style/candidates.css";
import "./style/analyse.css";
import "./style/openings.css";
import "./style/tabs.css";
import "./style/gomoku.css";
import "./style/sequence.css";

keepToken();
navigator.serviceWorker?.register("worker.js").catch(() => undefined); // without it the page works too, but not offline
const root = document.getElementById("page");
if (root) render(<App />, root);
