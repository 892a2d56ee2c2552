// Without it: forms post by themselves. What the editor asks of the server: its answer, or null where there was none.
/** Posts fields and gives {status, answer}; status 0 when the server cannot be reached. */
export async function ask(url, fields, { leaving = false } = {}) {
  const headers = { ...JSON.parse(document.body.getAttribute("hx-headers") ?? "{}"), Accept: "application/json" };
  try {
    const response = await fetch(url, { method: "POST", headers, body: new URLSearchParams(fields), keepalive: leaving });
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    return { status: response.redirected ? 401 : response.status, answer: isJson ? await response.json() : null };
  } catch {
    return { status: 0, answer: null };
  }
}

/** The sentence for an answer that is no success. */
export function sentenceOf({ status, answer }) {
  if (answer?.refused) return answer.refused;
  if (status === 0) return "The server cannot be reached. Your text is still here; it is saved as soon as the server answers.";
  if (status === 401 || status === 403) return "You are not signed in any more, or may not change this agent. Copy your text, then sign in again.";
  if (status === 404) return "This agent is not there any more, or was renamed. Copy your text before you leave.";
  return "The server could not do that. Your text is still here. Try again.";
}
