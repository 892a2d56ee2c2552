// Without it: a message that could not be sent is lost with its page. Keeps unsent messages in this browser.

export function keepMessages(name, messages) {
  try {
    if (messages.length) localStorage.setItem(name, JSON.stringify(messages));
    else localStorage.removeItem(name);
  } catch {
    // Storage is refused or full: the messages last as long as the page.
  }
}

export function keptMessages(name) {
  try {
    return JSON.parse(localStorage.getItem(name) ?? "[]");
  } catch {
    return [];
  }
}
