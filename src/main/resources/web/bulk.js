// What the form for many lines gains where scripts run: the options of a tool as it is chosen, files
// that are read into the box, and what is wrong with the lines as they are typed.
"use strict";
(() => {
  const form = document.getElementById("bulk");
  if (!form) {
    return;
  }
  const tool = document.getElementById("bulk-tool");
  const box = document.getElementById("bulk-lines");
  const count = document.getElementById("bulk-count");
  const file = document.getElementById("bulk-file");
  const drop = document.getElementById("bulk-drop");
  const csv = document.getElementById("bulk-csv");
  const start = document.getElementById("bulk-start");
  const mostLines = Number(form.dataset.mostLines);
  const mostLineBytes = Number(form.dataset.mostLineBytes);
  const mostBytes = Number(form.dataset.mostBytes);
  const utf8 = new TextEncoder();

  // the options of the tool
  const choose = document.getElementById("bulk-choose");
  choose.hidden = true;
  let asked = 0;
  tool.addEventListener("change", async () => {
    const mine = ++asked;
    try {
      const answer = await fetch(form.dataset.options + "?" + new URLSearchParams({ "bulk-tool": tool.value }));
      if (!answer.ok) {
        throw new Error();
      }
      const html = await answer.text();
      if (mine === asked) {
        document.getElementById("bulk-options").innerHTML = html;
        box.placeholder = document.querySelector("#tool-help code")?.textContent ?? "";
      }
    } catch {
      choose.hidden = false;
    }
  });

  // what is wrong with the lines
  const judge = () => {
    const lines = box.value.split(/\r\n|\n|\r/);
    const seen = new Set();
    const problems = [];
    let lineCount = 0;
    lines.forEach((line, i) => {
      const text = line.trim();
      if (text === "") {
        return;
      }
      lineCount++;
      seen.add(text);
      if (text.length * 3 > mostLineBytes && utf8.encode(text).length > mostLineBytes) {
        problems.push("Line " + (i + 1) + " has more than " + mostLineBytes + " bytes.");
      } else if (lineCount <= mostLines && /\s/.test(text)) {
        problems.push("Line " + (i + 1) + " has a blank in it: is it one target?");
      }
    });
    const tooMany = lineCount > mostLines;
    count.replaceChildren();
    const sum = document.createElement("span");
    sum.textContent =
      lineCount.toLocaleString("en") + " of " + mostLines + " lines" +
      (seen.size < lineCount ? ", " + (lineCount - seen.size) + " of them repeated (equal lines are checked once)" : "") + ".";
    count.append(sum);
    if (tooMany) {
      problems.unshift("That is " + (lineCount - mostLines).toLocaleString("en") + " too many: leave them out, or make another job of them.");
    }
    if (problems.length > 0) {
      const list = document.createElement("ul");
      list.className = "problems wrong";
      for (const problem of problems.slice(0, 5)) {
        list.append(Object.assign(document.createElement("li"), { textContent: problem }));
      }
      if (problems.length > 5) {
        list.append(Object.assign(document.createElement("li"), { textContent: "And " + (problems.length - 5) + " more." }));
      }
      count.append(list);
    }
  };
  let timer;
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(judge, 200);
  });

  // files: read here, so that they can be looked at before they are sent
  const records = (text) => {
    const head = text.slice(0, text.indexOf("\n") < 0 ? undefined : text.indexOf("\n"));
    const separator = [",", ";", "\t"].reduce((best, c) => (head.split(c).length > head.split(best).length ? c : best), ",");
    const rows = [];
    let row = [];
    let cell = "";
    let quoted = false;
    for (let i = 0; i < text.length; i++) {
      const c = text[i];
      if (quoted) {
        if (c === '"' && text[i + 1] === '"') {
          cell += '"';
          i++;
        } else if (c === '"') {
          quoted = false;
        } else {
          cell += c;
        }
      } else if (c === '"' && cell === "") {
        quoted = true;
      } else if (c === separator) {
        row.push(cell);
        cell = "";
      } else if (c === "\n" || c === "\r") {
        if (c === "\r" && text[i + 1] === "\n") {
          i++;
        }
        row.push(cell);
        rows.push(row);
        row = [];
        cell = "";
      } else {
        cell += c;
      }
    }
    if (cell !== "" || row.length > 0) {
      row.push(cell);
      rows.push(row);
    }
    return rows.filter((r) => r.some((c) => c.trim() !== ""));
  };
  // names from elsewhere, without what would turn the text around them
  const plain = (text) =>
    text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => "[U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "]");
  const label = (text, id) => Object.assign(document.createElement("label"), { textContent: text, htmlFor: id });
  const say = (text) => {
    csv.replaceChildren(Object.assign(document.createElement("span"), { textContent: text }));
    csv.hidden = false;
  };
  // a file takes the place of what was typed, which is kept until somebody wants it back
  const back = Object.assign(document.createElement("button"), { type: "button", className: "plain", id: "bulk-back", textContent: "Put back what was typed", hidden: true });
  csv.after(back);
  let typed = "";
  let filled = "";
  const fill = (lines) => {
    if (box.value.trim() !== "" && box.value !== filled) {
      typed = box.value;
      back.hidden = false;
    }
    filled = lines.join("\n");
    box.value = filled;
    judge();
  };
  back.addEventListener("click", () => {
    box.value = typed;
    back.hidden = true;
    csv.hidden = true;
    judge();
    box.focus();
  });
  csv.hidden = true;
  const offer = (rows, name) => {
    // no spread: a file has more rows than a call may have arguments
    const width = rows.reduce((most, r) => Math.max(most, r.length), 0);
    const target = (cell) => /[.:@]/.test(cell) && !/\s/.test(cell.trim());
    const columns = [...Array(width).keys()];
    const hits = columns.map((i) => rows.slice(0, 200).filter((r) => target(r[i] ?? "")).length);
    const heading = !target(rows[0][hits.indexOf(Math.max(...hits))] ?? "");
    const select = document.createElement("select");
    select.id = "bulk-column-chosen";
    for (const i of columns) {
      const title = heading ? rows[0][i] : rows[0][i] === undefined ? "" : "such as " + rows[0][i];
      select.append(new Option((i + 1) + (title ? ": " + plain(title.slice(0, 60)) : ""), String(i)));
    }
    select.value = String(hits.indexOf(Math.max(...hits)));
    const tick = Object.assign(document.createElement("input"), { type: "checkbox", id: "bulk-heading-chosen", checked: heading });
    const ticked = document.createElement("label");
    ticked.className = "tick";
    ticked.htmlFor = tick.id;
    ticked.append(tick, " The first row is a heading");
    const take = () =>
      fill(rows.slice(tick.checked ? 1 : 0).map((r) => (r[Number(select.value)] ?? "").replace(/[\r\n]+/g, " ").trim()).filter((c) => c !== ""));
    select.addEventListener("change", take);
    tick.addEventListener("change", take);
    csv.replaceChildren(label("Column of " + plain(name), select.id), select, ticked);
    csv.hidden = false;
    take();
  };
  const read = async (chosen) => {
    if (chosen.size > mostBytes) {
      // it would be sent with the form otherwise, and refused with all that was typed
      file.value = "";
      say("The file has more than 8 MiB, so it was not taken; take a part of it.");
      return;
    }
    const bytes = await chosen.arrayBuffer();
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      say("The file is not text in UTF-8; save it as .txt or .csv, in UTF-8.");
      return;
    }
    file.value = "";
    if (/\.csv$/i.test(chosen.name)) {
      const rows = records(text);
      if (rows.length === 0) {
        say("The file is empty.");
      } else {
        offer(rows, chosen.name);
      }
    } else {
      say("The lines of " + plain(chosen.name) + " are in the box.");
      fill(text.split(/\r\n|\n|\r/).map((l) => l.trim()).filter((l) => l !== ""));
    }
  };
  file.addEventListener("change", () => {
    if (file.files.length > 0) {
      read(file.files[0]);
    }
  });
  for (const place of [drop, box]) {
    place.addEventListener("dragover", (event) => {
      if ([...event.dataTransfer.types].includes("Files")) {
        event.preventDefault();
        drop.classList.add("over");
      }
    });
    place.addEventListener("dragleave", () => drop.classList.remove("over"));
    place.addEventListener("drop", (event) => {
      drop.classList.remove("over");
      if (event.dataTransfer.files.length > 0) {
        event.preventDefault();
        read(event.dataTransfer.files[0]);
      }
    });
  }

  // sent once; a page that comes back out of the browser's memory may be sent again
  form.addEventListener("submit", (event) => {
    if (event.submitter !== choose) {
      start.disabled = true;
      start.textContent = "Starting …";
    }
  });
  addEventListener("pageshow", () => {
    start.disabled = false;
    start.textContent = "Start the checks";
    if (box.value !== "") {
      judge();
    }
  });
})();
