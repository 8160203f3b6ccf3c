// Reads the laid-out page: a tree of plain objects, one for each element that is painted or groups.
// Elements are numbered in document order, and window.__elements keeps them, so that a defect can
// be put on the element of a number without leaving a trace in the DOM. "light" only numbers them.
(light) => {
  const WANTED = ["display", "flexDirection", "justifyContent", "alignItems", "rowGap", "columnGap",
    "paddingTop", "paddingRight", "paddingBottom", "paddingLeft",
    "borderTopWidth", "borderRightWidth", "borderBottomWidth", "borderLeftWidth",
    "borderTopColor", "borderRightColor", "borderBottomColor", "borderLeftColor",
    "borderTopStyle", "borderRightStyle", "borderBottomStyle", "borderLeftStyle",
    "borderTopLeftRadius", "borderTopRightRadius", "borderBottomRightRadius",
    "borderBottomLeftRadius", "backgroundColor", "backgroundImage", "boxShadow", "opacity",
    "overflow", "color", "fontFamily", "fontSize", "fontWeight", "fontStyle", "lineHeight",
    "letterSpacing", "textAlign", "textTransform", "textDecorationLine", "direction", "position",
    "objectFit", "width", "height", "flexGrow", "fontVariantNumeric"];
  const elements = (window.__elements = []);
  const canvas = document.createElement("canvas").getContext("2d");
  const box = (r) => [r.left + scrollX, r.top + scrollY, r.width, r.height];
  const styleOf = (el) => {
    const computed = getComputedStyle(el), out = {};
    for (const key of WANTED) out[key] = computed[key];
    return out;
  };
  const plainInline = (el) => {
    const s = getComputedStyle(el);
    return s.display === "inline" && !/^(svg|img)$/i.test(el.tagName) &&
      s.backgroundColor === "rgba(0, 0, 0, 0)" && s.borderTopWidth === "0px" &&
      s.borderBottomWidth === "0px" && s.paddingLeft === "0px" && s.paddingRight === "0px";
  };
  const hasText = (el) => [...el.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
  const isText = (el) => el.textContent.trim() !== "" && (hasText(el) || [...el.children].every(
    (c) => plainInline(c))) && [...el.querySelectorAll("*")].every((c) => plainInline(c)) &&
    (hasText(el) || getComputedStyle(el).display === "block" || el.children.length === 0) &&
    !(/flex|grid/.test(getComputedStyle(el).display) && el.children.length > 0);
  const cased = (text, how) => how === "uppercase" ? text.toUpperCase()
    : how === "lowercase" ? text.toLowerCase()
    : how === "capitalize" ? text.replace(/\b\w/g, (c) => c.toUpperCase()) : text;
  const RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
  const ink = (run) => {
    const s = run.style;
    canvas.font = `${s.fontStyle} ${s.fontWeight} ${s.fontSize} ${s.fontFamily}`;
    canvas.letterSpacing = s.letterSpacing === "normal" ? "0px" : s.letterSpacing;
    canvas.textAlign = "left";
    const m = canvas.measureText(run.text);
    return { left: -m.actualBoundingBoxLeft, right: m.actualBoundingBoxRight,
      up: m.actualBoundingBoxAscent, down: m.actualBoundingBoxDescent,
      ascent: m.fontBoundingBoxAscent, descent: m.fontBoundingBoxDescent, width: m.width };
  };
  const linesOf = (el) => {
    const lines = [];
    const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const style = styleOf(node.parentElement);
      for (let i = 0; i < node.data.length; i++) {
        const surrogate = /[\ud800-\udbff]/.test(node.data[i]);
        range.setStart(node, i);
        range.setEnd(node, i + (surrogate ? 2 : 1));
        const rects = range.getClientRects();
        const text = cased(node.data.slice(i, i + (surrogate ? 2 : 1)), style.textTransform);
        if (surrogate) i++;
        if (!rects.length || (rects[0].width === 0 && /\s/.test(text))) continue;
        const r = box(rects[rects.length - 1]);
        let line = lines[lines.length - 1];
        if (!line || r[1] > line.top + line.height * 0.6) {
          line = { top: r[1], height: r[3], left: r[0], right: r[0] + r[2], runs: [] };
          lines.push(line);
        }
        line.left = Math.min(line.left, r[0]);
        line.right = Math.max(line.right, r[0] + r[2]);
        let run = line.runs[line.runs.length - 1];
        if (!run || run.node !== node) {
          run = { node, text: "", left: r[0], right: r[0] + r[2], top: r[1], height: r[3], style };
          line.runs.push(run);
        }
        run.text += text;
        run.left = Math.min(run.left, r[0]);
        run.right = Math.max(run.right, r[0] + r[2]);
      }
    }
    for (const line of lines) {
      for (const run of line.runs) {
        delete run.node;
        run.text = run.text.replace(/\s/g, " ");
        run.rtl = RTL.test(run.text) || run.style.direction === "rtl";
        run.ink = ink(run);
      }
    }
    return lines;
  };
  const shapesOf = (svg) => [...svg.querySelectorAll("path,circle,rect,line")].map((shape) => {
    const b = shape.getBBox(), m = shape.getScreenCTM();
    return { tag: shape.tagName, box: [b.x * m.a + m.e + scrollX, b.y * m.d + m.f + scrollY,
      b.width * m.a, b.height * m.d], scale: m.a };
  });
  const visit = (el) => {
    if (getComputedStyle(el).display === "none") return null;
    const style = light ? null : styleOf(el);
    const index = elements.push(el) - 1;
    const node = { index, tag: el.tagName.toLowerCase(), class: el.getAttribute("class") || "",
      box: box(el.getBoundingClientRect()), style, children: [], lines: null };
    if (node.tag === "svg") {
      if (light) return node;
      node.svg = el.outerHTML;
      node.icon = el.dataset.icon || null;
      node.shapes = shapesOf(el);
      return node;
    }
    if (node.tag === "img") {
      node.src = el.getAttribute("src");
      return node;
    }
    if (isText(el)) {
      node.lines = light ? null : linesOf(el);
      node.inline = [...el.querySelectorAll("*")].map((c) => elements.push(c) - 1);
      node.text = el.textContent.replace(/\s+/g, " ").trim();
      return node;
    }
    if (hasText(el)) throw new Error(`text beside blocks in ${el.outerHTML.slice(0, 80)}`);
    for (const child of el.childNodes) {
      if (child.nodeType === 1 && child.tagName !== "STYLE" && child.tagName !== "SCRIPT") {
        const found = visit(child);
        if (found) node.children.push(found);
      }
    }
    return node;
  };
  return visit(document.body);
}
