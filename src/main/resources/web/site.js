// What pages gain where scripts run: the reader's own time, ages that stay true, tools that are
// offered while a target is typed, a button that copies. Every page does without it.
"use strict";
(() => {
  // times in the reader's zone; the exact one stays in the title
  const moment = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) {
      time.textContent = moment.format(at);
    }
  }

  // how old a report is, and when it may be made anew
  const minutes = (n) => (n < 1 ? "less than a minute" : n === 1 ? "1 minute" : n + " minutes");
  const age = () => {
    const now = Date.now();
    for (const span of document.querySelectorAll("[data-since]")) {
      span.textContent = minutes(Math.floor((now - Date.parse(span.dataset.since)) / 60000)) + " ago";
    }
    for (const span of document.querySelectorAll("[data-left]")) {
      const left = Date.parse(span.dataset.left) - now;
      span.textContent = left > 0 ? "kept for another " + minutes(Math.floor(left / 60000)) : "expired by now";
    }
    for (const button of document.querySelectorAll("[data-after].hidden")) {
      if (Date.parse(button.dataset.after) <= now) {
        button.classList.remove("hidden");
        fetch(button.dataset.quota)
          .then((answer) => (answer.ok ? answer.text() : ""))
          .then((left) => (button.nextElementSibling.textContent = left.trim()))
          .catch(() => {});
      }
    }
  };
  if (document.querySelector("[data-since]")) {
    age();
    setInterval(age, 5000);
  }

  // a box whose text can be copied
  if (navigator.clipboard) {
    for (const box of document.querySelectorAll("[data-copy]")) {
      const text = box.textContent;
      const button = document.createElement("button");
      button.type = "button";
      button.className = "plain";
      button.textContent = "Copy";
      button.addEventListener("click", async () => {
        await navigator.clipboard.writeText(text);
        button.textContent = "Copied";
        setTimeout(() => (button.textContent = "Copy"), 2000);
      });
      box.classList.add("copied");
      box.prepend(button);
    }
  }

  // the tools that fit, as the target is typed
  const offers = document.getElementById("offers");
  const box = document.getElementById("target");
  if (offers && box) {
    let asked = 0;
    let timer;
    let shownFor = box.value;
    const offer = async (tool) => {
      const mine = ++asked;
      const query = new URLSearchParams({ target: box.value });
      if (tool) {
        query.set("tool", tool);
      }
      try {
        const answer = await fetch(offers.dataset.from + "?" + query);
        const html = answer.ok ? await answer.text() : "";
        if (mine === asked) {
          offers.innerHTML = html;
          shownFor = query.get("target");
          if (tool) {
            offers.querySelector("[aria-current]")?.focus();
          }
        }
      } catch {
        // the form still works
      }
    };
    box.addEventListener("input", () => {
      clearTimeout(timer);
      timer = setTimeout(offer, 150);
    });
    box.form.addEventListener("submit", (event) => {
      const best = offers.querySelector("form.check");
      if (best && shownFor === box.value) {
        event.preventDefault();
        best.requestSubmit();
      }
    });
    offers.addEventListener("click", (event) => {
      const pill = event.target.closest("a[data-tool]");
      if (pill && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
        event.preventDefault();
        offer(pill.dataset.tool);
      }
    });
  }
})();
