// What the program put into the page: options as JSON, the file as base64.

/// The options, as the page's own type describes them; nothing is checked.
export function embeddedOptions<T>(): Partial<T> { return JSON.parse(textOf('options')) as Partial<T>; }

/// The bytes of a data block. Its text is dropped from the document, so that a large file is not held twice.
export function embeddedBytes(id: string): ArrayBuffer {
  let binary: string;
  try {
    binary = atob(textOf(id).trim());
  } catch {
    throw new Error('The file inside this page is damaged; write the page again.');
  }
  document.getElementById(id)?.remove();
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}
