// Keeps the page of a job that runs as it is on the server: asks again and again, more seldom while
// nothing happens or nobody looks. Filter, order and page stay as they are.
"use strict";
(() => {
  const state = document.getElementById("job-state");
  const lines = document.getElementById("job-lines");
  const news = document.getElementById("job-news");
  if (!state || !lines) {
    return;
  }
  const card = () => state.querySelector("[data-version]");
  const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  const dated = (part) => {
    for (const time of part.querySelectorAll("time[datetime]")) {
      time.textContent = moment.format(new Date(time.dateTime));
    }
  };
  const put = (place, fresh) => {
    const focused = place.contains(document.activeElement) ? document.activeElement.id : "";
    const scroll = place.querySelector(".scroll");
    const left = scroll ? scroll.scrollLeft : 0;
    const held = scroll && document.activeElement === scroll;
    place.replaceChildren(...fresh.childNodes);
    dated(place);
    if (focused) {
      document.getElementById(focused)?.focus({ preventScroll: true });
    }
    const now = place.querySelector(".scroll");
    if (now) {
      now.scrollLeft = left;
      if (held) {
        now.focus({ preventScroll: true });
      }
    }
  };
  let pause = 1000;
  let told = Number(card().dataset.progress);
  const tell = () => {
    const progress = Number(card().dataset.progress);
    const over = card().dataset.over === "true";
    if (over || progress >= told + 20) {
      told = progress;
      news.textContent = card().querySelector(".now").textContent;
    }
  };
  const look = async () => {
    // a link that has the focus is not taken from under whoever goes through them by keyboard
    const busy = lines.contains(document.activeElement) && document.activeElement.closest("a");
    try {
      const from = new URL(state.dataset.from, location.href);
      from.searchParams.set("seen", card().dataset.version);
      const answer = await fetch(from);
      if (answer.status === 200) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        const last = page.querySelector("[data-over=true]") !== null;
        put(state, page.getElementById("job-state"));
        if (!busy || last) {
          put(lines, page.getElementById("job-lines"));
        }
        tell();
        pause = 1000;
      } else if (answer.status === 204) {
        pause = Math.min(pause * 1.5, 5000);
      } else if (answer.status < 500 && answer.status !== 429) {
        location.reload();
        return;
      } else {
        pause = Math.min(pause * 2, 30000);
      }
    } catch {
      pause = Math.min(pause * 2, 30000);
    }
    next();
  };
  const next = () => {
    if (card().dataset.over !== "true") {
      setTimeout(look, document.hidden ? Math.max(pause, 15000) : pause);
    }
  };
  next();
})();
