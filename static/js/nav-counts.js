// Without it: the counts beside Approvals and Live are as old as the page.
const EVERY_MS = 10_000;

const counts = document.querySelector("[data-counts]")?.dataset.counts;
if (counts) setInterval(look, EVERY_MS);

async function look() {
  if (document.hidden) return;
  try {
    const response = await fetch(counts);
    if (!response.ok || response.redirected) return;
    const now = await response.json();
    for (const place of document.querySelectorAll("[data-nav-count]")) {
      const count = now[place.dataset.navCount] ?? 0;
      place.hidden = !count;
      place.textContent = count;
    }
  } catch {
    // The next look may reach the server.
  }
}
