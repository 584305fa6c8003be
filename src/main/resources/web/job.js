// Polls a running job and updates its page. The interval grows while nothing changes or the page is hidden.
// The filter, the order and the page number are kept.
"use strict";
(() => {
  const state = document.getElementById("job-state");
  const lines = document.getElementById("job-lines");
  const announcement = document.getElementById("job-announcement");
  if (!state || !lines) {
    return;
  }
  const card = () => state.querySelector("[data-version]");
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
  const addLocalTimes = (part) => {
    for (const time of part.querySelectorAll("time[datetime]")) {
      time.title = format.format(new Date(time.dateTime));
    }
  };
  const replace = (place, fresh) => {
    const focused = place.contains(document.activeElement) ? document.activeElement.id : "";
    const scroll = place.querySelector(".scroll");
    const left = scroll ? scroll.scrollLeft : 0;
    const scrollFocused = scroll && document.activeElement === scroll;
    const open = Array.from(place.querySelectorAll("details[id][open]"), (details) => details.id);
    place.replaceChildren(...fresh.childNodes);
    addLocalTimes(place);
    for (const details of place.querySelectorAll("details[id]")) {
      details.open = open.includes(details.id);
    }
    if (focused) {
      document.getElementById(focused)?.focus({ preventScroll: true });
    }
    const newScroll = place.querySelector(".scroll");
    if (newScroll) {
      newScroll.scrollLeft = left;
      if (scrollFocused) {
        newScroll.focus({ preventScroll: true });
      }
    }
  };
  // the findings of the filter; the selection is kept, and an open list is not changed
  const replaceOptions = (fresh) => {
    const select = document.getElementById("job-finding");
    if (select !== document.activeElement) {
      const value = select.value;
      select.replaceChildren(...fresh.childNodes);
      select.value = value;
    }
  };
  let interval = 1000;
  let announced = Number(card().dataset.progress);
  const announce = () => {
    const progress = Number(card().dataset.progress);
    const finished = card().dataset.finished === "true";
    if (finished || progress >= announced + 20) {
      announced = progress;
      announcement.textContent = card().querySelector(".now").textContent;
    }
  };
  const poll = async () => {
    // keep a focused link until the job has finished
    const busy = lines.contains(document.activeElement) && document.activeElement.closest("a");
    try {
      const url = new URL(state.dataset.url, location.href);
      url.searchParams.set("seen", card().dataset.version);
      const response = await fetch(url);
      if (response.status === 200) {
        const page = new DOMParser().parseFromString(await response.text(), "text/html");
        const last = page.querySelector("[data-finished=true]") !== null;
        replace(state, page.getElementById("job-state"));
        replaceOptions(page.getElementById("job-finding"));
        if (!busy || last) {
          replace(lines, page.getElementById("job-lines"));
        }
        announce();
        interval = 1000;
      } else if (response.status === 204) {
        interval = Math.min(interval * 1.5, 5000);
      } else if (response.status < 500 && response.status !== 429) {
        location.reload();
        return;
      } else {
        interval = Math.min(interval * 2, 30000);
      }
    } catch {
      interval = Math.min(interval * 2, 30000);
    }
    schedule();
  };
  const schedule = () => {
    if (card().dataset.finished !== "true") {
      setTimeout(poll, document.hidden ? Math.max(interval, 15000) : interval);
    }
  };
  schedule();
})();
