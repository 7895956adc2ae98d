// Elements in one line.

type Attributes = Record<string, string | number | boolean | ((event: Event) => void)>;

/// element('button', { class: 'tool', onclick: act }, 'Play'). A true attribute is set empty, a false one left out.
export function element<K extends keyof HTMLElementTagNameMap>(
    tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') made.addEventListener(name.replace(/^on/, ''), value);
    else if (value !== false) made.setAttribute(name, value === true ? '' : String(value));
  }
  made.append(...children);
  return made;
}

/// A button with a picture and a name for those who cannot see it. After a click by mouse or finger it gives up the
/// focus, so that the space bar keeps meaning "play".
export function iconButton(icon: string, label: string, act: () => void): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'icon', title: label, 'aria-label': label });
  button.innerHTML = icon;
  button.addEventListener('click', (event) => {
    if (event.detail > 0) button.blur();
    act();
  });
  return button;
}
