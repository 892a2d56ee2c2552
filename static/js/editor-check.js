// Without it: the server checks the text when it is sent. Asks a URL what is wrong with a text, a while after the last change.
const AFTER_MS = 600;

export class Checker {
  #timer = 0;
  #request = null;

  /** `read` gives the text, `show` takes its problems, `fail` is told that nobody could be asked. */
  constructor({ url, read, show, fail }) {
    Object.assign(this, { url, read, show, fail });
  }

  soon(wait = AFTER_MS) {
    clearTimeout(this.#timer);
    if (this.url) this.#timer = setTimeout(() => this.#ask(), wait);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#request?.abort();
  }

  // An answer about a text that has changed since is dropped; the change asks again.
  async #ask() {
    this.#request?.abort();
    this.#request = new AbortController();
    const text = this.read();
    const headers = JSON.parse(document.body.getAttribute("hx-headers") ?? "{}");
    try {
      const answer = await fetch(this.url, { method: "POST", headers, body: new URLSearchParams({ text }), signal: this.#request.signal });
      if (!answer.ok) this.fail();
      else if (text === this.read()) this.show((await answer.json()).problems);
    } catch (error) {
      if (error.name !== "AbortError") this.fail();
    }
  }
}
