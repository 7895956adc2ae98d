// Ways to open a character: a file of this machine (sent to the server), one of the server's folder, one of the cast.

import { Studio } from './panel';

const kMostBytes = 256 * 2 ** 20;
const kCharacters = /\.(glb|gltf|vrm|fbx|usda|usd|bvh|blend|rig\.json)$/i;
const kGarment = /\.obj$/i;
const kRigFile = /\.rig\.json$/i;  // names a mesh and clips beside it

export interface ListedFile {
  path: string;
  name: string;
  bytes: number;
}

/// Sends files to the server and opens the one that is a character; the others (buffers, pictures) lie beside it.
export async function openLocal(studio: Studio, files: readonly File[]): Promise<void> {
  const main = files.find(({ name }) => kRigFile.test(name)) ?? files.find(({ name }) => kCharacters.test(name)) ?? files[0];
  if (!main) return;
  const large = files.find(({ size }) => size > kMostBytes);
  if (large)
    return studio.say('error', `${large.name} has more than 256 MB.\nStart the program with its folder instead, and open it there.`);
  try {
    let path = '';
    for (const file of files) {
      const sent = await uploadFile(file);
      if (file === main) path = sent;
    }
    await studio.act('file.open', { path });
  } catch (error) {
    studio.say('error', error instanceof Error ? error.message : String(error));
  }
}

export async function uploadFile(file: File): Promise<string> {
  const name = file.name.replace(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+/, '_');
  const answer = await fetch(`/upload/${name}${location.search}`, { method: 'PUT', body: file });
  const said = await answer.json().catch(() => ({})) as { path?: string; error?: { problem?: string; remedy?: string } };
  if (answer.ok && said.path) return said.path;
  throw new Error([said.error?.problem ?? `${file.name} could not be sent to the server (${answer.status}).`, said.error?.remedy]
    .filter(Boolean).join(' '));
}

/// Whatever is dropped on the page is opened; an .obj on an open character is its garment.
export function acceptDrops(studio: Studio, garment: (file: File) => Promise<void>): void {
  let depth = 0;
  const mark = (on: boolean) => document.body.classList.toggle('dropping', on);
  const holdsFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;
  addEventListener('dragenter', (event) => { if (holdsFiles(event)) mark(++depth > 0); });
  addEventListener('dragleave', (event) => { if (holdsFiles(event)) mark(--depth > 0); });
  addEventListener('dragover', (event) => { if (holdsFiles(event)) event.preventDefault(); });
  addEventListener('drop', (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    mark(false);
    depth = 0;
    const files = [...event.dataTransfer!.files];
    if (files.length === 1 && kGarment.test(files[0].name) && studio.store.get('file')) return void garment(files[0]);
    void openLocal(studio, files);
  });
}

export function bytesText(bytes: number): string {
  if (bytes < 1e6) return `${Math.max(1, Math.round(bytes / 1e3))} kB`;
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
