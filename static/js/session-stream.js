// Without it: the page shows the session as it was when it was loaded; reload to see more.
// <session-stream src="/ws/…" after="POS">: dispatches "frame" for each frame in order, "connection" for its own state.
const NOTE_AFTER_MS = 2000;
const OFFER_RELOAD_AFTER_MS = 180_000;
const LONGEST_WAIT_MS = 20_000;
const SILENCE_MS = 40_000; // a ping comes every 15 s
const FINAL_CODES = new Set([4403, 4404, 4429]);

class SessionStream extends HTMLElement {
  connectedCallback() {
    this.pos = Number(this.getAttribute("after")) || 0;
    this.tries = 0;
    this.wake = () => this.lookAfter();
    document.addEventListener("visibilitychange", this.wake);
    window.addEventListener("online", this.wake);
    window.addEventListener("offline", this.wake);
    this.watchdog = setInterval(this.wake, 5000);
    this.open();
  }

  disconnectedCallback() {
    document.removeEventListener("visibilitychange", this.wake);
    window.removeEventListener("online", this.wake);
    window.removeEventListener("offline", this.wake);
    clearInterval(this.watchdog);
    clearTimeout(this.timer);
    this.close();
  }

  get isLive() {
    return this.socket?.readyState === WebSocket.OPEN && !this.lostAt;
  }

  /** Start over from the last event drawn: what is half-made comes as a snapshot. */
  reopen() {
    this.close();
    this.open();
  }

  open() {
    clearTimeout(this.timer);
    if (this.isOver) return;
    const url = new URL(`${this.getAttribute("src")}?after=${this.pos}`, location.href);
    url.protocol = url.protocol.replace("http", "ws");
    const socket = new WebSocket(url);
    this.socket = socket;
    this.heardAt = Date.now();
    socket.addEventListener("message", (message) => {
      if (socket === this.socket) this.hear(JSON.parse(message.data));
    });
    socket.addEventListener("close", (event) => {
      if (socket === this.socket) this.lose(event);
    });
  }

  close() {
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  hear(frame) {
    this.heardAt = Date.now();
    this.tries = 0;
    if (this.lostAt !== 0) {
      this.lostAt = 0;
      this.tell("live");
    }
    if (frame.event === "reset") {
      this.pos = 0;
    } else if (frame.id !== undefined) {
      if (frame.id <= this.pos) return;
      this.pos = frame.id;
    }
    this.dispatchEvent(new CustomEvent("frame", { detail: frame }));
  }

  lose(event) {
    this.socket = null;
    if (FINAL_CODES.has(event.code)) {
      this.isOver = true;
      this.tell("over", event.reason);
      return;
    }
    this.lostAt ||= Date.now();
    const most = Math.min(LONGEST_WAIT_MS, 500 * 2 ** this.tries);
    this.tries += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.open(), most * (0.5 + Math.random() / 2));
    setTimeout(() => this.lookAfter(), NOTE_AFTER_MS);
  }

  // Called when the tab is shown, the network changes, and every few seconds.
  lookAfter() {
    const now = Date.now();
    if (!navigator.onLine && !this.lostAt && this.socket) {
      this.close();
      this.lose({ code: 0 });
    } else if (this.socket && now - this.heardAt > SILENCE_MS) {
      this.close();
      this.lose({ code: 0 });
    }
    if (!this.lostAt || this.isOver) return;
    if (now - this.lostAt >= OFFER_RELOAD_AFTER_MS) this.tell("long");
    else if (now - this.lostAt >= NOTE_AFTER_MS) this.tell("lost");
    const isBack = navigator.onLine && document.visibilityState === "visible";
    if (isBack && !this.socket && this.tries > 2) this.open();
  }

  tell(state, reason = "") {
    if (this.told === state) return;
    this.told = state;
    this.dispatchEvent(new CustomEvent("connection", { detail: { state, reason } }));
  }
}

customElements.define("session-stream", SessionStream);
