// Without it: every page still reads, links and forms work; nothing is live, and menus and dialogs open as pages.
import "./request-state.js";
import "./sidebar.js";
import "./menu.js";
import "./dialog.js";
import "./drawer.js";
import "./toast.js";
import "./tabs.js";
import "./shortcuts.js";
import "./list-cursor.js";
import "./relative-time.js";
import "./count-down.js";
import "./copy-button.js";
import "./confirm.js";
import "./nav-counts.js";
