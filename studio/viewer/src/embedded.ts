// What `rigspace view` put into the page: options as JSON, the file as base64.

export interface PageOptions {
  title: string;
  /// The clip to show first; empty for the file's first.
  clip: string;
}

export function embeddedOptions(): PageOptions {
  const given = JSON.parse(textOf('options')) as Partial<PageOptions>;
  return { title: given.title ?? '', clip: given.clip ?? '' };
}

/// The bytes of a data block. Its text is dropped from the document, so that a large file is not held twice.
export function embeddedBytes(id: string): ArrayBuffer {
  let binary: string;
  try {
    binary = atob(textOf(id).trim());
  } catch {
    throw new Error('The file inside this page is damaged; write the page again with “rigspace view”.');
  }
  document.getElementById(id)?.remove();
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; ++i) bytes[i] = binary.charCodeAt(i);
  return bytes.buffer;
}

function textOf(id: string): string {
  return document.getElementById(id)?.textContent ?? '';
}
