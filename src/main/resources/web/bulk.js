// Enhancements of the bulk form: the options of the selected tool, files read into the text area, and a preview of the
// targets during typing. The service reads CSV and counts the targets.
"use strict";
(() => {
  const form = document.getElementById("bulk");
  if (!form) {
    return;
  }
  const tool = document.getElementById("bulk-tool");
  const box = document.getElementById("bulk-lines");
  const file = document.getElementById("bulk-file");
  const fileState = document.getElementById("bulk-file-state");
  const csvFile = document.getElementById("bulk-csv-file");
  const drop = document.getElementById("bulk-drop");
  const name = document.getElementById("bulk-name");
  const start = document.getElementById("bulk-start");
  const region = document.getElementById("bulk-preview");
  const maxBytes = Number(form.dataset.maxBytes);
  // many lines take seconds to lay out; a longer file is submitted as it is
  const maxShownLines = 2 * Number(form.dataset.maxLines);
  const maxShownCharacters = 1 << 20;

  // the options of the tool
  const showOptions = document.getElementById("bulk-show-options");
  showOptions.hidden = true;
  let latest = 0;
  tool.addEventListener("change", async () => {
    const request = ++latest;
    preview();
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

  // the preview: recognized columns, counts and the first invalid lines
  const showPreview = document.getElementById("bulk-show-preview");
  showPreview.hidden = true;
  let running = new AbortController();
  const preview = async () => {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    const data = new FormData(form);
    try {
      let html = "";
      if (box.value.trim() !== "" || file.files.length > 0) {
        const response = await fetch(form.dataset.previewUrl, { method: "POST", body: data, signal });
        if (!response.ok) {
          throw new Error();
        }
        html = await response.text();
      }
      if (!signal.aborted) {
        const focused = document.activeElement?.id;
        region.innerHTML = html;
        if (focused === "bulk-column" || focused === "bulk-header-row") {
          document.getElementById(focused)?.focus();
        }
        name.placeholder = region.querySelector(".preview")?.dataset.name ?? "";
        showPreview.hidden = true;
      }
    } catch {
      showPreview.hidden = signal.aborted && showPreview.hidden;
    }
  };
  let timer;
  box.addEventListener("input", () => {
    csvFile.value = "false";
    clearTimeout(timer);
    timer = setTimeout(preview, 300);
  });
  region.addEventListener("change", preview);

  // a file replaces the typed text, which can be restored
  const showState = (text) => {
    fileState.textContent = text;
    fileState.hidden = text === "";
  };
  // file names without control characters
  const plain = (text) =>
    text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => "[U+" + c.codePointAt(0).toString(16).toUpperCase().padStart(4, "0") + "]");
  const restore = Object.assign(document.createElement("button"), { type: "button", className: "plain", id: "bulk-restore", textContent: "Restore typed text", hidden: true });
  fileState.after(restore);
  let typed = "";
  let filled = "";
  const fill = (text) => {
    if (box.value.trim() !== "" && box.value !== filled) {
      typed = box.value;
      restore.hidden = false;
    }
    box.value = text;
    filled = box.value;
    // the column of another list
    region.replaceChildren();
    preview();
  };
  restore.addEventListener("click", () => {
    file.value = "";
    csvFile.value = "false";
    restore.hidden = true;
    showState("");
    region.replaceChildren();
    box.value = typed;
    preview();
    box.focus();
  });
  const read = async (files) => {
    const chosen = files[0];
    if (chosen.size > maxBytes) {
      // a file of this size would be rejected on submission
      file.value = "";
      showState("The file is larger than 8 MiB. Select a smaller file.");
      return;
    }
    const text = new TextDecoder().decode(await chosen.arrayBuffer());
    const lines = text.split(/\r\n|\n|\r/, maxShownLines + 1).length;
    csvFile.value = String(/\.(csv|tsv)$/i.test(chosen.name));
    if (lines > maxShownLines || text.length > maxShownCharacters || text.includes("\0")) {
      file.files = files;
      showState("Selected " + plain(chosen.name) + ".");
      fill("");
    } else {
      file.value = "";
      showState("Loaded " + plain(chosen.name) + ".");
      fill(text);
    }
  };
  file.addEventListener("change", () => {
    if (file.files.length > 0) {
      read(file.files);
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
        read(event.dataTransfer.files);
      }
    });
  }

  // prevents double submission; a page restored from the back/forward cache can be submitted again
  form.addEventListener("submit", (event) => {
    if (event.submitter !== showOptions && event.submitter !== showPreview) {
      start.disabled = true;
      start.textContent = "Starting…";
    }
  });
  addEventListener("pageshow", () => {
    start.disabled = false;
    start.textContent = "Run checks";
    if (box.value !== "" && region.childElementCount === 0) {
      preview();
    }
  });
})();
