// Enhancements of the bulk form: the options of the selected tool, files read into the text area, and validation of
// the targets during typing.
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
  const maxLines = Number(form.dataset.maxLines);
  const maxLineBytes = Number(form.dataset.maxLineBytes);
  const maxBytes = Number(form.dataset.maxBytes);
  // more than a job accepts, so an incomplete list cannot be submitted; hundreds of thousands of lines take seconds to lay out
  const maxShownLines = 2 * maxLines;
  const utf8 = new TextEncoder();

  // the options of the tool
  const showOptions = document.getElementById("bulk-show-options");
  showOptions.hidden = true;
  let latest = 0;
  tool.addEventListener("change", async () => {
    const request = ++latest;
    try {
      const response = await fetch(form.dataset.optionsUrl + "?" + new URLSearchParams({ "bulk-tool": tool.value }));
      if (!response.ok) {
        throw new Error();
      }
      const html = await response.text();
      if (request === latest) {
        document.getElementById("bulk-options").innerHTML = html;
        box.placeholder = document.querySelector("#tool-help code")?.textContent ?? "";
      }
    } catch {
      showOptions.hidden = false;
    }
  });

  const plural = (n, noun) => n.toLocaleString("en") + " " + noun + (n === 1 ? "" : "s");

  // validation of the lines
  const validate = (lines = box.value.split(/\r\n|\n|\r/), shortened = false) => {
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
      if (text.length * 3 > maxLineBytes && utf8.encode(text).length > maxLineBytes) {
        problems.push("Line " + (i + 1) + " is longer than " + maxLineBytes + " bytes.");
      } else if (lineCount <= maxLines && /\s/.test(text)) {
        problems.push("Line " + (i + 1) + " contains a space. Enter one target per line.");
      }
    });
    const tooMany = lineCount > maxLines;
    const duplicates = lineCount - seen.size;
    count.replaceChildren();
    const sum = document.createElement("span");
    sum.textContent =
      lineCount.toLocaleString("en") + " of " + maxLines + " lines" +
      (duplicates > 0 ? ", " + plural(duplicates, "duplicate") + " (checked once)" : "") + ".";
    count.append(sum);
    if (shortened) {
      problems.unshift("The text area contains the first " + plural(maxShownLines, "line") + " of the file.");
    }
    if (tooMany) {
      problems.unshift("Remove " + plural(lineCount - maxLines, "line") + ". The maximum is " + maxLines + " lines per job.");
    }
    if (problems.length > 0) {
      const list = document.createElement("ul");
      list.className = "problems field-error";
      for (const problem of problems.slice(0, 5)) {
        list.append(Object.assign(document.createElement("li"), { textContent: problem }));
      }
      if (problems.length > 5) {
        list.append(Object.assign(document.createElement("li"), { textContent: plural(problems.length - 5, "more error") + "." }));
      }
      count.append(list);
    }
  };
  let timer;
  box.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(() => validate(), 200);
  });

  // files are read into the text area, so the user can review the lines
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
  // file names and cells without control characters
  const plain = (text) =>
    text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => "[U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "]");
  const label = (text, id) => Object.assign(document.createElement("label"), { textContent: text, htmlFor: id });
  const showMessage = (text) => {
    csv.replaceChildren(Object.assign(document.createElement("span"), { textContent: text }));
    csv.hidden = false;
  };
  // a file replaces the typed text, which can be restored
  const restore = Object.assign(document.createElement("button"), { type: "button", className: "plain", id: "bulk-restore", textContent: "Restore typed text", hidden: true });
  csv.after(restore);
  let typed = "";
  let filled = "";
  const fill = (lines) => {
    if (box.value.trim() !== "" && box.value !== filled) {
      typed = box.value;
      restore.hidden = false;
    }
    filled = lines.slice(0, maxShownLines).join("\n");
    box.value = filled;
    validate(lines, lines.length > maxShownLines);
  };
  restore.addEventListener("click", () => {
    box.value = typed;
    restore.hidden = true;
    csv.hidden = true;
    validate();
    box.focus();
  });
  csv.hidden = true;
  const selectColumn = (rows, name) => {
    // no spread operator: the number of rows can exceed the maximum number of arguments
    const width = rows.reduce((most, r) => Math.max(most, r.length), 0);
    const isTarget = (cell) => /[.:@]/.test(cell) && !/\s/.test(cell.trim());
    const columns = [...Array(width).keys()];
    const hits = columns.map((i) => rows.slice(0, 200).filter((r) => isTarget(r[i] ?? "")).length);
    const header = !isTarget(rows[0][hits.indexOf(Math.max(...hits))] ?? "");
    const select = document.createElement("select");
    select.id = "bulk-column-selected";
    for (const i of columns) {
      const title = header ? rows[0][i] : rows[0][i] === undefined ? "" : "for example " + rows[0][i];
      select.append(new Option((i + 1) + (title ? ": " + plain(title.slice(0, 60)) : ""), String(i)));
    }
    select.value = String(hits.indexOf(Math.max(...hits)));
    const checkbox = Object.assign(document.createElement("input"), { type: "checkbox", id: "bulk-header-row-selected", checked: header });
    const checkboxLabel = document.createElement("label");
    checkboxLabel.className = "checkbox";
    checkboxLabel.htmlFor = checkbox.id;
    checkboxLabel.append(checkbox, " The first row is a header");
    const take = () =>
      fill(rows.slice(checkbox.checked ? 1 : 0).map((r) => (r[Number(select.value)] ?? "").replace(/[\r\n]+/g, " ").trim()).filter((c) => c !== ""));
    select.addEventListener("change", take);
    checkbox.addEventListener("change", take);
    csv.replaceChildren(label("Column of " + plain(name), select.id), select, checkboxLabel);
    csv.hidden = false;
    take();
  };
  const read = async (chosen) => {
    if (chosen.size > maxBytes) {
      // a file of this size would be rejected on submission
      file.value = "";
      showMessage("The file is larger than 8 MiB. Select a smaller file.");
      return;
    }
    const bytes = await chosen.arrayBuffer();
    let text;
    try {
      text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    } catch {
      showMessage("The file is not UTF-8 text. Save it as .txt or .csv in UTF-8.");
      return;
    }
    file.value = "";
    if (/\.csv$/i.test(chosen.name)) {
      const rows = records(text);
      if (rows.length === 0) {
        showMessage("The file is empty.");
      } else {
        selectColumn(rows, chosen.name);
      }
    } else {
      showMessage("Loaded " + plain(chosen.name) + ".");
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
        drop.classList.add("dragover");
      }
    });
    place.addEventListener("dragleave", () => drop.classList.remove("dragover"));
    place.addEventListener("drop", (event) => {
      drop.classList.remove("dragover");
      if (event.dataTransfer.files.length > 0) {
        event.preventDefault();
        read(event.dataTransfer.files[0]);
      }
    });
  }

  // prevents double submission; a page restored from the back/forward cache can be submitted again
  form.addEventListener("submit", (event) => {
    if (event.submitter !== showOptions) {
      start.disabled = true;
      start.textContent = "Starting…";
    }
  });
  addEventListener("pageshow", () => {
    start.disabled = false;
    start.textContent = "Run checks";
    if (box.value !== "") {
      validate();
    }
  });
})();
