// Enhancements of all pages: local times in titles, current ages, one job per new check, copy buttons.
"use strict";
(() => {
  // the local time as the title of each time, which is shown in UTC
  const format = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "long" });
  for (const time of document.querySelectorAll("time[datetime]")) {
    const at = new Date(time.dateTime);
    if (!Number.isNaN(at.getTime())) {
      time.title = format.format(at);
    }
  }

  // the age of a report, and the button for a fresh check after the result has expired
  const count = (n, unit) => n + " " + unit + (n === 1 ? "" : "s");
  const rounded = (n) =>
    n < 1
      ? "less than a minute"
      : n < 120
        ? count(n, "minute")
        : n < 2880
          ? count(Math.floor(n / 60), "hour")
          : count(Math.floor(n / 1440), "day");
  const age = () => {
    const now = Date.now();
    for (const span of document.querySelectorAll("[data-since]")) {
      span.textContent = rounded(Math.floor((now - Date.parse(span.dataset.since)) / 60000)) + " ago";
    }
    for (const span of document.querySelectorAll("[data-until]")) {
      const seconds = Math.max(0, Math.ceil((Date.parse(span.dataset.until) - now) / 1000));
      span.textContent = "in " + Math.floor(seconds / 60) + " min " + (seconds % 60) + " s";
    }
    for (const text of document.querySelectorAll("[data-before]")) {
      text.hidden = Date.parse(text.dataset.before) <= now;
    }
    for (const button of document.querySelectorAll("[data-after].hidden")) {
      if (Date.parse(button.dataset.after) <= now) {
        button.classList.remove("hidden");
        fetch(button.dataset.quota)
          .then((response) => (response.ok ? response.text() : ""))
          .then((quota) => (button.nextElementSibling.textContent = quota.trim()))
          .catch(() => {});
      }
    }
  };
  if (document.querySelector("[data-since]")) {
    age();
    setInterval(age, 1000);
  }

  // prevents double submission; a page restored from the back/forward cache can be submitted again
  for (const form of document.querySelectorAll(".recheck form")) {
    const button = form.querySelector("button");
    form.addEventListener("submit", () => (button.disabled = true));
    addEventListener("pageshow", () => (button.disabled = false));
  }

  // copy buttons
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
      box.classList.add("copyable");
      box.prepend(button);
    }
  }
})();
