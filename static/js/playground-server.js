// Without it: forms post by themselves. One POST with the CSRF token and an idempotency key; a refusal says its sentence.
export class Refusal extends Error {}
export class Unreachable extends Error {}

export const newKey = () => crypto.randomUUID?.() ?? `${Date.now()}-${Math.random()}`;

export async function post(url, fields = {}, key = newKey()) {
  const headers = { ...JSON.parse(document.body.getAttribute("hx-headers") ?? "{}") };
  const asked = { Accept: "application/json", "HX-Request": "true", "Idempotency-Key": key };
  let answer;
  try {
    answer = await fetch(url, { method: "POST", body: formOf(fields), headers: { ...headers, ...asked } });
  } catch {
    throw new Unreachable("The server cannot be reached. What you wrote is still here.");
  }
  const leads = answer.headers.get("HX-Redirect");
  if (leads) throw new Refusal("You are signed out. Sign in again in another tab, then send this again.");
  if (answer.redirected) {
    location.assign(answer.url);
    return {};
  }
  const isJson = answer.headers.get("Content-Type")?.startsWith("application/json");
  const body = isJson ? await answer.json() : {};
  if (!answer.ok) {
    const { error = sentenceFor(answer.status), field = "", late = "" } = body;
    throw Object.assign(new Refusal(error), { field, late });
  }
  return body;
}

// Multipart: other scripts than Latin would triple in size when they are percent-encoded. Without a part it is refused.
function formOf(fields) {
  const entries = fields instanceof FormData ? [...fields] : Object.entries(fields);
  if (!entries.length) return new URLSearchParams();
  const form = new FormData();
  for (const [name, value] of entries) form.append(name, value);
  return form;
}

function sentenceFor(status) {
  if (status === 400) return "That could not be sent as it is. If it is very long, send it in parts.";
  if (status === 403) return "The page is out of date. Reload it, then try again.";
  if (status === 404) return "It is not there any more. Reload the page to see what is.";
  if (status === 413) return "That is too long to send. Send it in parts.";
  return "The server could not do that. Try again in a moment.";
}

export function showProblem(sentence) {
  const place = document.getElementById("problem");
  if (!place) return;
  place.replaceChildren();
  if (!sentence) return;
  const note = document.createElement("div");
  note.className = "c-note c-note--bad";
  const words = document.createElement("p");
  words.className = "c-note__text";
  words.textContent = sentence;
  const close = document.createElement("button");
  close.className = "c-button c-button--sm";
  close.type = "button";
  close.textContent = "Close";
  close.addEventListener("click", () => showProblem(""));
  note.append(words, close);
  place.append(note);
}
