// Puts one list of operations on the page's elements, by the numbers extract.js gave them.
(operations) => {
  const elements = window.__elements;
  const own = (el, from, to) => {
    const walker = document.createTreeWalker(el, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (node.data.includes(from)) {
        node.data = node.data.replace(from, to);
        return;
      }
    }
    throw new Error(`text ${from} not found`);
  };
  const doing = {
    style: (el, o) => {
      for (const [key, value] of Object.entries(o.css)) el.style.setProperty(key, value, "important");
    },
    text: (el, o) => own(el, o.from, o.to),
    remove: (el) => el.remove(),
    clone: (el) => el.after(el.cloneNode(true)),
    swap: (el, o) => {
      const other = elements[o.other], mark = document.createComment("");
      el.replaceWith(mark);
      other.replaceWith(el);
      mark.replaceWith(other);
    },
    inner: (el, o) => { el.innerHTML = o.html; },
    source: async (el, o) => { el.src = o.src; await el.decode(); },
  };
  return Promise.all(operations.map((o) => doing[o.op](elements[o.index], o)));
}
