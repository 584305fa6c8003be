// Times in the reader's zone; the exact one stays in the title.
"use strict";
(() => {
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
  for (const time of document.querySelectorAll("time[datetime]")) {
    const moment = new Date(time.dateTime);
    if (!Number.isNaN(moment.getTime()) && !time.dataset.as) {
      time.title = time.dateTime;
      time.textContent = day.format(moment);
    }
  }
})();
