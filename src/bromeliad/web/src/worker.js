// Keeps the files of the page, so that it opens while the service is away and can say so. Answers always come from the service.
const SHELL = "shell";
const FILES = ["./", "page.js", "page.css", "figtree-latin-wght-normal.woff2", "icon.svg", "manifest.json"];

self.addEventListener("install", (event) => {
  self.skipWaiting();
  event.waitUntil(caches.open(SHELL).then((shell) => shell.addAll(FILES)));
});

self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));

async function newest(request) {
  const shell = await caches.open(SHELL);
  try {
    const response = await fetch(request);
    if (response.ok) await shell.put(new URL(request.url).pathname, response.clone());
    return response;
  } catch (error) {
    const kept = await shell.match(request, { ignoreSearch: true });
    if (!kept) throw error;
    return kept;
  }
}

self.addEventListener("fetch", (event) => {
  const { origin, pathname } = new URL(event.request.url);
  const files = FILES.map((file) => new URL(file, self.registration.scope).pathname);
  if (event.request.method === "GET" && origin === self.location.origin && files.includes(pathname)) event.respondWith(newest(event.request));
});
